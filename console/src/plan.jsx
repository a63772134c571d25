// Many questions as a whole: how a budget would be split, and what every bar becomes as it grows or shrinks.
import {useState} from 'preact/hooks';
import {api} from './api.js';
import {Answered} from './answer.jsx';
import {Allowance, BothLosses, isFree, leftToAsk, lossAfterwards, PriceInput, worthText} from './ask.jsx';
import {BarChart} from './chart.jsx';
import {Editor} from './editor.jsx';
import {loss, number, real} from './format.js';
import {useKept, useLoad, useSettled} from './hooks.js';
import {Notes, RefusalBox, Scroll} from './parts.jsx';
import {Waiting} from './waiting.jsx';

export function PlanView({dataset, columns, budget, role, users}) {
  const [questions, setQuestions] = useKept(`plan.${dataset}`, firstPlan(columns));
  const [epsilon, setEpsilon] = useKept(`plan-epsilon.${dataset}`, Number(((budget.value?.epsilon_total ?? 1) / 4).toPrecision(2)));
  const [result, setResult] = useState({});
  const asked = {questions, epsilon: Number(epsilon)};
  const settled = useSettled(asked, 250);
  const ready = settled.questions.trim() !== '' && settled.epsilon > 0;
  const seen = useLoad((signal) => (ready ? api.explainPlan(dataset, settled, signal) : null), [dataset, JSON.stringify(settled), budget.value?.ledger_hash]);
  const send = async () => {
    setResult({asking: true});
    try {
      setResult({answer: await api.releasePlan(dataset, asked)});
    } catch (error) {
      setResult({error});
    }
    budget.again();
  };
  return (
    <>
      <h2>Plan</h2>
      <p>Write many questions, each ended by a semicolon. They are charged once, together, and what they share is measured once. A comment behind a question says how exact its answer should be: <code>-- kith: error 50</code>, <code>-- kith: epsilon 0.1</code> or <code>-- kith: weight 3</code>.</p>
      <form onSubmit={(event) => { event.preventDefault(); send(); }}>
        <Editor label="Questions (SQL)" value={questions} onInput={setQuestions} columns={columns} rows={7} />
        <PriceInput label="Epsilon of all together" value={epsilon} onInput={setEpsilon} most={leftToAsk(budget.value)} />
        <section class={`before ${seen.loading ? 'stale' : ''}`} aria-label="The plan" aria-busy={Boolean(seen.loading)}>
          <p class="hidden" role="status">{ready && seen.value && !seen.error && !seen.loading ? `The plan would make the dependent loss ${lossAfterwards(seen.value)}.` : ''}</p>
          {seen.error && <RefusalBox error={seen.error} />}
          {ready && seen.value && !seen.error && <Split explanation={seen.value} budget={budget.value} />}
        </section>
        <p class="buttons"><button type="submit" class="main" disabled={result.asking || !ready}>{result.asking ? 'Asking …' : !seen.loading && !seen.error && isFree(seen.value) ? 'Ask all: free' : `Ask all: spend ${loss(epsilon)}`}</button></p>
      </form>
      <div aria-live="polite">
        {result.error && <RefusalBox error={result.error} />}
        {result.answer && <Answered answer={result.answer} budget={budget.value} />}
      </div>
      <Waiting dataset={dataset} users={users && role === 'analyst'} turn={result} onAnswer={(next) => { setResult(next); budget.again(); }} />
    </>
  );
}

function firstPlan(columns) {
  const table = columns?.tables?.find((t) => !t.public) ?? columns?.tables?.[0];
  if (!table) return '';
  const grouped = table.columns.filter((c) => c.may_ask.includes('group')).sort((a, b) => a.public - b.public).slice(0, 2);
  return [`SELECT count(*) AS n FROM ${table.name};`,
    ...grouped.map((c) => `SELECT ${c.name}, count(*) AS n FROM ${table.name} GROUP BY ${c.name};`)].join('\n');
}

function Split({explanation, budget}) {
  const plan = explanation.details?.plan ?? {questions: []};
  const counts = plan.questions.filter((q) => q.error_95 !== undefined && Number.isFinite(real(q.error_95)));
  const bars = counts.map((q) => ({name: `${plan.questions.indexOf(q) + 1}. ${q.question}`, value: real(q.error_95), beside: real(q.alone_95 ?? null)}));
  return (
    <>
      {explanation.refusal && <RefusalBox error={{said: {code: 'budget_exhausted', what: explanation.refusal}}} />}
      <div class="meters">
        <BothLosses explanation={explanation} budget={budget} />
        <Allowance budget={budget} explanation={explanation} />
      </div>
      {bars.length > 0 && (
        <>
          <p class="legend"><span class="key fill">95 % bar in this plan</span> <span class="key beside">asked by itself at the same price</span></p>
          <BarChart bars={bars} text={number} label="95 % error bar" title="Error bars of the questions; the table has the same numbers" />
        </>
      )}
      <Scroll label="Questions of the plan">
        <table>
          <thead><tr><th scope="col">No.</th><th scope="col">Question</th><th scope="col">Rows</th><th scope="col">Share of epsilon</th><th scope="col">95 % bar</th><th scope="col">By itself</th></tr></thead>
          <tbody>{plan.questions.map((q, i) => (
            <tr key={i}>
              <td class="num">{i + 1}</td>
              <td class="question"><code>{q.question}</code>{q.from && q.from !== 'itself' && <span class="hint"> from {q.from}</span>}</td>
              <td class="num">{number(q.rows)}</td>
              <td class="num">{q.epsilon === undefined ? '–' : q.epsilon === 0 ? 'free' : loss(q.epsilon)}</td>
              <td class="num">{q.error_95 !== undefined ? `± ${number(q.error_95)}` : byRows(q)}</td>
              <td class="num">{q.alone_95 === undefined ? '–' : `± ${number(q.alone_95)}`}</td>
            </tr>
          ))}</tbody>
        </table>
      </Scroll>
      {explanation.usefulness?.length > 0 && <ul class="worth">{explanation.usefulness.map((w, i) => <li key={i} class={w.only_noise ? 'warn' : ''}>{worthText(w)}</li>)}</ul>}
      <Notes notes={explanation.notes} />
    </>
  );
}

const byRows = (q) => {
  const line = q.averages?.[0]?.by_rows?.find((r) => r.rows >= 1000);
  return line ? `± ${number(line.error_95)} with ${number(line.rows)} rows` : '–';
};

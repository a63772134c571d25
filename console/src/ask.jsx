// One question: its price, its bar and its worth before anything is spent; then its answer.
import {useEffect, useState} from 'preact/hooks';
import {api} from './api.js';
import {Answered} from './answer.jsx';
import {Waiting} from './waiting.jsx';
import {ColumnList} from './data.jsx';
import {Editor} from './editor.jsx';
import {loss, number, priceLeft, real} from './format.js';
import {useKept, useLoad, useSettled} from './hooks.js';
import {Guarantee, Losses, Meter, Notes, RefusalBox, total} from './parts.jsx';

export function AskView({dataset, columns, budget, role, users}) {
  const [question, setQuestion] = useKept(`question.${dataset}`, firstQuestion(columns));
  const [by, setBy] = useKept(`by.${dataset}`, 'epsilon');
  const [epsilon, setEpsilon] = useKept(`epsilon.${dataset}`, roundish((budget.value?.epsilon_total ?? 1) / 10));
  const [bar, setBar] = useKept(`bar.${dataset}`, 50);
  const [unit, setUnit] = useKept(`unit.${dataset}`, 'person');
  const [intervals, setIntervals] = useKept(`intervals.${dataset}`, true);
  const [result, setResult] = useState({});
  const nested = Boolean(budget.value?.guarantee?.household);
  const asked = {question, ...(by === 'epsilon' ? {epsilon: Number(epsilon)} : {error: Number(bar)}), ...(nested ? {unit} : {}), ...(intervals ? {} : {intervals: false})};
  const settled = useSettled(asked);
  const ready = settled.question.trim() !== '' && ((settled.epsilon ?? settled.error) > 0);
  const seen = useLoad((signal) => (ready ? api.explain(dataset, settled, signal) : null), [dataset, JSON.stringify(settled), budget.value?.ledger_hash]);
  const current = JSON.stringify(settled) === JSON.stringify(asked) && !seen.loading;
  const explanation = current ? seen.value : null;
  useEffect(() => setResult({}), [dataset]);

  const send = async () => {
    if (result.asking) return;
    setResult({asking: true});
    try {
      const answer = await api.release(dataset, asked);
      setResult({answer, question});
    } catch (error) {
      setResult({error});
    }
    budget.again();
  };

  return (
    <div class="two">
      <div>
        <h2>Ask</h2>
        <form onSubmit={(event) => { event.preventDefault(); send(); }}>
          <Editor label="Question (SQL)" value={question} onInput={setQuestion} onSend={send} columns={columns} describedBy="editor-help" />
          <p class="hint" id="editor-help">Names are completed as you type: arrow keys choose, Enter takes. Ctrl+Space shows all, Ctrl+Enter asks.</p>
          <fieldset class="price">
            <legend>Price</legend>
            <label class="inline"><input type="radio" name="by" checked={by === 'epsilon'} onChange={() => setBy('epsilon')} /> spend epsilon</label>
            <label class="inline"><input type="radio" name="by" checked={by === 'error'} onChange={() => setBy('error')} /> buy an error bar</label>
            {by === 'epsilon'
              ? <PriceInput label="Epsilon" value={epsilon} onInput={setEpsilon} most={leftToAsk(budget.value)} />
              : <label class="inline">95 % bar of at most <input type="number" min="0" step="any" value={bar} onInput={(event) => setBar(event.currentTarget.value)} /></label>}
            <Intervals explanation={seen.value} wanted={intervals} onChange={setIntervals} />
            {nested && <label class="inline">about a <select value={unit} onChange={(event) => setUnit(event.currentTarget.value)}><option>person</option><option>household</option></select></label>}
          </fieldset>
          <Before seen={seen} current={current} ready={ready} budget={budget.value} />
          <p class="buttons">
            <button type="submit" class="main" disabled={result.asking || !ready}>
              {result.asking ? 'Asking …' : isFree(explanation) ? 'Ask: free' : explanation && by === 'error' && explanation.affordable ? 'Ask for this price' : by === 'epsilon' ? `Ask: spend ${loss(epsilon)}` : 'Ask'}
            </button>
          </p>
        </form>
        <div aria-live="polite">
          {result.error && <RefusalBox error={result.error} />}
          {result.answer && <Answered answer={result.answer} budget={budget.value} />}
        </div>
        <Waiting dataset={dataset} users={users && role === 'analyst'} turn={result} onAnswer={(next) => { setResult(next); budget.again(); }} />
      </div>
      <aside aria-label="Columns"><ColumnList columns={columns} brief /></aside>
    </div>
  );
}

/** Of quantiles: with intervals or without, which are then nearer to the true ones. */
function Intervals({explanation, wanted, onChange}) {
  const errors = (explanation?.statistics ?? []).map((each) => each.interval).filter(Boolean);
  if (errors.length === 0) return null;
  const most = (name) => number(Math.ceil(Math.max(...errors.map((each) => real(each[name])))));
  return (
    <label class="inline">
      <input type="checkbox" checked={wanted} onChange={(event) => onChange(event.currentTarget.checked)} /> intervals of quantiles
      <span class="hint"> (off by at most {most('error_95_with')} rows with them, {most('error_95_without')} without)</span>
    </label>
  );
}

/** Whether nothing would be charged: an exact answer, or one that was given before. */
export const isFree = (explanation) => Boolean(explanation) && (explanation.stored || (!explanation.plain?.mu && real(explanation.plain?.epsilon ?? null) === 0));

/** Both losses once it was asked: of what is free, as they are. */
export const afterwards = (e) => (isFree(e) ? {dependent: e.dependent_before, plain: e.plain_spent_before} : {dependent: e.dependent_after, plain: e.plain_spent_after});

/** The largest price that budget and allowance leave for a question about everybody: an allowance is plain loss, of which a price buys its part of the limit. */
export function leftToAsk(budget) {
  if (!budget?.allowance) return budget?.epsilon_left;
  const own = ((budget.allowance.plain - budget.allowance.spent) / plainLimit(budget)) * budget.epsilon_total;
  return Math.max(0, Math.min(budget.epsilon_left, own));
}

const roundish = (x) => Number(x.toPrecision(1));

/** A number and a slider for the same price. */
export function PriceInput({label, value, onInput, most}) {
  const top = Math.max(Number(most) || 0, 0.001);
  const take = (event) => onInput(event.currentTarget.value === '' ? '' : Number(event.currentTarget.value));
  return (
    <span class="price-input">
      <label class="inline">{label} <input type="number" min="0" step="any" value={value} onInput={take} /></label>
      <input type="range" aria-label={`${label}, of ${priceLeft(most ?? 0)} left`} min={roundish(top / 200)} max={top} step={roundish(top / 200)} value={value} onInput={take} />
      <span class="hint">{priceLeft(most ?? 0)} left</span>
    </span>
  );
}

function firstQuestion(columns) {
  const table = columns?.tables?.find((t) => !t.public) ?? columns?.tables?.[0];
  return table ? `SELECT count(*) AS n FROM ${table.name}` : 'SELECT count(*) AS n FROM ';
}

/** What the question would cost and give. Touches no data. */
export function Before({seen, current, ready, budget, what = 'Write a question and a price.'}) {
  const e = seen.value;
  return (
    <section class={`before ${current ? '' : 'stale'}`} aria-label="Before you spend" aria-busy={!current}>
      <h3>Before you spend</h3>
      <p class="hidden" role="status">{current && ready && e ? summary(e, budget) : ''}</p>
      {!ready && <p class="hint">{what}</p>}
      {ready && seen.error && <RefusalBox error={seen.error} />}
      {ready && e && (
        <>
          {e.refusal && <RefusalBox error={{said: {code: 'budget_exhausted', what: e.refusal}}} />}
          <div class="meters">
            <BothLosses explanation={e} budget={budget} />
            <Allowance budget={budget} explanation={e} />
          </div>
          {e.stored && <p>Asked before, or contained in an earlier answer: it is given again, free.</p>}
          <Bars explanation={e} />
          <Notes notes={e.notes} />
          <details>
            <summary>What is promised, and under what</summary>
            <Guarantee of={e.guarantee} />
          </details>
          <details>
            <summary>What the engine will run</summary>
            <pre class="engine">{e.sql}</pre>
          </details>
        </>
      )}
    </section>
  );
}

/** Both losses before and after. */
export const BothLosses = ({explanation: e, budget}) => (
  <Losses capped={e.guarantee?.with_delta} more={isFree(e) ? 0 : real(e.plain?.mu ?? 0)}
    dependent={{before: e.dependent_before, after: afterwards(e).dependent, limit: budget?.dependent_total ?? budget?.epsilon_total, about: 'What somebody learns who knows how records depend on each other'}}
    plain={{before: e.plain_spent_before, after: afterwards(e).plain, limit: plainLimit(budget), about: 'What counts where records do not depend on each other'}} />
);

/** The dependent loss afterwards, with its delta where it has one. */
export const lossAfterwards = (e) => total(afterwards(e).dependent, e.guarantee?.with_delta);

/** What a question would leave of the allowance of whoever asks. */
export function Allowance({budget, explanation}) {
  const own = budget?.allowance;
  return own ? <Meter name="Your allowance (plain loss)" before={own.spent} after={isFree(explanation) ? own.spent : explanation.plain?.mu ? undefined : own.spent + real(explanation.plain?.epsilon ?? null)} limit={own.plain} /> : null;
}

/** The whole of it in one breath, for those who hear the page. */
const summary = (e, budget) => `${e.affordable ? 'Would make' : 'Not affordable: would make'} the dependent loss ${lossAfterwards(e)}${e.guarantee?.with_delta ? '' : ` of ${loss(budget?.dependent_total ?? budget?.epsilon_total)}`}; ${e.statistics.map((s) => `${s.name}: plus or minus ${number(s.error_95)}`).join(', ')}.`;

/** The smallest of the cells' limits: what a question about everybody may use. */
export const plainLimit = (budget) => Math.min(...(budget?.cells ?? []).map((c) => real(c.plain_budget)));

function Bars({explanation}) {
  const {statistics = [], usefulness = [], averages = []} = explanation;
  const several = explanation.groups > 1;
  return (
    <>
      <table class="bars">
        <caption>95 % error bars that this buys</caption>
        <thead><tr><th scope="col">Statistic</th><th scope="col">Bar of one number</th>{several && <th scope="col">of all {number(explanation.groups)} at once</th>}</tr></thead>
        <tbody>{statistics.map((s, i) => (
          <tr key={i}><th scope="row">{s.name}{s.stratum ? `, ${s.stratum}` : ''}</th><td class="num">± {number(s.error_95)}{s.in_rows ? ' rows' : ''}</td>{several && <td class="num">± {number(s.error_95_all)}{s.in_rows ? ' rows' : ''}</td>}</tr>
        ))}</tbody>
      </table>
      {usefulness.length > 0 && <ul class="worth">{usefulness.map((w, i) => <li key={i} class={w.only_noise ? 'warn' : ''}>{worthText(w)}</li>)}</ul>}
      {averages.map((a) => !usefulness.some((w) => w.output === a.output) && (
        <p key={a.output} class="hint">{a.output}: ± {a.by_rows.map((r) => `${number(r.error_95)} with ${number(r.rows)} rows`).join(', ')}.</p>
      ))}
    </>
  );
}

/** One sentence on what an output is worth. */
export function worthText(w) {
  const what = w.stratum ? `${w.output} (${w.stratum})` : w.output;
  const range = real(w.high) - real(w.low);
  if (w.only_noise) {
    const more = w.times_epsilon
      ? ` ${number(w.times_epsilon)} times the epsilon would buy ± ${number(w.then_error_95)}${w.beyond === 'budget' ? ', more than the whole budget' : w.beyond === 'left' ? ', more than is left' : ''}.`
      : '';
    return `${what}: nothing but noise. The bar of ± ${number(w.error_95)} covers all that is possible (${number(w.low)} to ${number(w.high)}).${more}`;
  }
  const share = range > 0 ? ` (${number(Math.min(100, (200 * real(w.error_95)) / range))} % of all that is possible)` : '';
  return `${what}: ${w.at_best ? 'at best ' : ''}± ${number(w.error_95)}${w.in_rows ? ' rows' : ''}, between ${number(w.low)} and ${number(w.high)}${share}${w.largest_group ? ', in the largest group' : ''}.`;
}

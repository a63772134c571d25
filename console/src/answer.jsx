// An answer: what it is worth, as a table and as a chart, to take along; and its certificate.
import {useRef, useState} from 'preact/hooks';
import {AnswerChart, columnsOf} from './answer_chart.jsx';
import {cell, csv, left, loss, number, priceLeft, save, savePicture} from './format.js';
import {Dialog, Guarantee, Notes, once, Scroll, total} from './parts.jsx';

/** `answer`: an answer document, or one answer of a plan in the same form. */
export function AnswerView({answer, title, name = 'answer'}) {
  const {noisy} = columnsOf(answer);
  const [chosen, setChosen] = useState(0);
  const picture = useRef(null);
  const {columns, rows} = answer.answer;
  const column = noisy[Math.min(chosen, noisy.length - 1)];
  return (
    <section class="answer" aria-label={title}>
      <div class="answer-head">
        <h3>{title}</h3>
        <div class="buttons">
          <button type="button" class="quiet" onClick={() => save(`${name}.csv`, 'text/csv', csv(columns, rows, answer.error_95))}>CSV</button>
          <button type="button" class="quiet" onClick={() => save(`${name}.json`, 'application/json', JSON.stringify(answer, null, 1))}>JSON</button>
          {noisy.length > 0 && rows.length > 0 && <button type="button" class="quiet" onClick={() => picture.current && savePicture(`${name}.png`, picture.current)}>PNG</button>}
        </div>
      </div>
      {noisy.length > 1 && (
        <label class="inline">Chart of <select value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
          {noisy.map((c, i) => <option key={c} value={i}>{columns[c]}</option>)}
        </select></label>
      )}
      {noisy.length > 0 && rows.length > 0 && <AnswerChart answer={answer} column={column} onReady={(svg) => { picture.current = svg; }} />}
      <AnswerTable answer={answer} />
      <Notes notes={answer.notes} />
    </section>
  );
}

const most = 200;

function AnswerTable({answer}) {
  const {columns, rows} = answer.answer;
  if (!columns.length) return null;
  return (
    <>
      <Scroll label="Answer as a table">
        <table>
          <thead><tr>{columns.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
          <tbody>
            {rows.slice(0, most).map((row, r) => (
              <tr key={r}>{row.map((value, c) => <Cell key={c} value={value} bar={answer.error_95?.[r]?.[c]} interval={answer.interval_95?.[r]?.[c]} noise={answer.only_noise?.[r]?.[c]} />)}</tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {rows.length > most && <p class="hint">{number(rows.length - most)} more rows are in the files.</p>}
      {rows.length === 0 && <p class="hint">No rows.</p>}
    </>
  );
}

function Cell({value, bar, interval, noise}) {
  const numeric = typeof value === 'number';
  return (
    <td class={numeric ? 'num' : undefined}>
      {cell(value)}
      {bar !== null && bar !== undefined && <span class="bar"> ± {number(bar)}</span>}
      {interval && <span class="bar"> {cell(interval.low)} to {cell(interval.high)}</span>}
      {noise && <span class="tag warn">noise only</span>}
    </td>
  );
}

/** What an answer was made with and what is guaranteed after it. */
export function Certificate({of}) {
  const plain = of.plain ?? {};
  return (
    <>
      <dl class="facts">
        <div><dt>Entry in the ledger</dt><dd>{of.ledger_entry}</dd></div>
        <div><dt>Plain loss of this answer</dt><dd>{once(plain)}{plain.delta && !plain.mu ? ` with δ = ${loss(plain.delta)}` : ''}</dd></div>
        <div><dt>Plain loss of all answers</dt><dd>{total(plain.spent_total, of.with_delta, 'plain_delta')}</dd></div>
        <div><dt>Dependent loss of all answers</dt><dd>{of.dependent?.epsilon_total === null ? 'not bounded: true records were released' : total(of.dependent?.epsilon_total, of.with_delta)}</dd></div>
      </dl>
      <Guarantee of={{...of, adversary: of.dependent?.adversary, bound: of.dependent?.bound}} />
      <Scroll label="Noise">
        <table>
          <caption>Noise</caption>
          <thead><tr><th scope="col">Statistic</th><th scope="col">Law</th><th scope="col">Scale</th><th scope="col">95 % bar</th><th scope="col">Plain loss</th></tr></thead>
          <tbody>{(of.noise ?? []).map((n, i) => (
            <tr key={i}><td>{n.statistic}</td><td>{n.distribution}</td><td class="num">{number(n.scale)}</td><td class="num">{number(n.error_95)}{n.in_rows ? ' rows' : ''}</td><td class="num">{n.mu ? `mu ${loss(n.mu)}` : loss(n.plain_epsilon)}</td></tr>
          ))}</tbody>
        </table>
      </Scroll>
      <p class="hint">Claims: {(of.claims ?? []).join(', ')}. Head of the ledger after this entry:</p>
      <code class="head">{of.ledger_hash}</code>
    </>
  );
}

export function CertificateDialog({document, onClose}) {
  const {answer, error_95, interval_95, only_noise, details, ...certificate} = document;
  return (
    <Dialog title={`Certificate of answer ${document.ledger_entry}`} onClose={onClose}>
      <Certificate of={document} />
      <p class="buttons">
        <button type="button" onClick={() => save(`certificate-${document.ledger_entry}.json`, 'application/json', JSON.stringify(certificate, null, 1))}>Download the certificate</button>
        {answer && <button type="button" class="quiet" onClick={() => save(`answer-${document.ledger_entry}.json`, 'application/json', JSON.stringify(document, null, 1))}>Download answer and certificate</button>}
      </p>
      {answer?.columns?.length > 0 && <AnswerView answer={document} title="The answer" name={`answer-${document.ledger_entry}`} />}
    </Dialog>
  );
}

/** The answers of a plan, each in the form of an answer document. */
export const answersOfPlan = (document) => (document?.details?.plan?.answers ?? []).map((a) => ({
  question: a.question, line: a.line,
  answer: {columns: a.columns, rows: a.rows}, error_95: a.error_95, interval_95: a.interval_95, only_noise: a.only_noise, notes: a.notes,
}));

/** What was charged and is left by now, and the answer of a question or the answers of a plan. */
export function Answered({answer, budget}) {
  const [shown, setShown] = useState(false);
  const all = answersOfPlan(answer);
  return (
    <>
      <p class="charged" id="charged">{answer.stored ? 'Asked before, or contained in an earlier answer: free.' : `Charged: plain loss ${once(answer.plain)}; all answers together ${total(answer.plain.spent_total, answer.with_delta, 'plain_delta')}.`}{budget && <> Of {left(budget.epsilon_total)}, a question about everybody may still cost {priceLeft(budget.epsilon_left)}.</>} <button type="button" class="link" onClick={() => setShown(true)}>Certificate</button></p>
      {all.length > 0
        ? all.map((a, i) => <AnswerView key={i} answer={a} title={`${i + 1}. ${a.question}`} name={`answer-${answer.ledger_entry}-${i + 1}`} />)
        : <AnswerView answer={answer} title="Answer" name={`answer-${answer.ledger_entry}`} />}
      {shown && <CertificateDialog document={answer} onClose={() => setShown(false)} />}
    </>
  );
}

// What was spent, on what, and what is left, in both losses; every answer with its certificate.
import {useState} from 'preact/hooks';
import {api} from './api.js';
import {CertificateDialog} from './answer.jsx';
import {plainLimit} from './ask.jsx';
import {BudgetChart} from './chart.jsx';
import {left, loss, number, priceLeft, real, save, time} from './format.js';
import {useLoad} from './hooks.js';
import {countsMu, Guarantee, Loaded, Losses, Meter, RefusalBox, Scroll} from './parts.jsx';

export function BudgetView({dataset, budget}) {
  return (
    <>
      <h2>Budget</h2>
      <Loaded state={budget}>{(b) => <Spent dataset={dataset} b={b} />}</Loaded>
    </>
  );
}

// So many of the last answers are listed and drawn.
const mostListed = 500;

/** Everything, a page at a time. */
async function download(dataset, b) {
  const history = [];
  for (let more = true; more;) {
    const page = await api.history(dataset, 'oldest', history.at(-1)?.number ?? 0);
    history.push(...page.history);
    more = page.more && page.history.length > 0;
  }
  save(`${dataset}-history.json`, 'application/json', JSON.stringify({...b, history}, null, 1));
}

function Spent({dataset, b}) {
  const [certificate, setCertificate] = useState({});
  const asked = useLoad(() => api.history(dataset, 'newest', 0, mostListed), [dataset, b.ledger_hash]);
  const [failed, setFailed] = useState(null);
  const read = async (entry) => {
    setCertificate({reading: entry.number});
    try {
      setCertificate({document: await api.certificate(dataset, entry.number)});
    } catch (error) {
      setCertificate({error});
    }
  };
  const limit = plainLimit(b);
  const spent = Math.max(0, ...b.cells.map((c) => real(c.plain_spent)));
  return (
    <>
      <div class="meters">
        <Losses capped={b.guarantee.with_delta} dependent={{before: b.guarantee.dependent ?? 'inf', limit: b.dependent_total ?? b.epsilon_total}} plain={{before: spent, limit}} />
        {b.allowance && <Meter name="Your allowance (plain loss)" before={b.allowance.spent} limit={b.allowance.plain} />}
      </div>
      <p>A question about everybody may still cost <strong>{priceLeft(b.epsilon_left)}</strong> of {left(b.epsilon_total)}.{b.policy_changed && ' The policy has changed since the last answer.'}</p>
      {b.guarantee.alarm && <RefusalBox error={{said: {what: b.guarantee.alarm}}} title="Alarm" />}
      {!b.guarantee.with_delta && asked.value && <History dataset={dataset} b={b} page={asked.value} limit={limit} spent={spent} />}
      {certificate.error && <RefusalBox error={certificate.error} />}
      <Loaded state={asked}>{(page) => (page.history.length === 0 ? <p class="hint">Nothing was asked yet.</p> : (
        <Scroll label="Answers so far">
          <table>
            <caption>{page.more ? `The last ${number(page.history.length)} answers` : 'Answers so far'}</caption>
            <thead><tr><th scope="col">No.</th><th scope="col">When</th><th scope="col">Question</th><th scope="col">Plain loss</th><th scope="col">Certificate</th></tr></thead>
            <tbody>{page.history.map((h) => (
              <tr key={h.number}>
                <td class="num">{h.number}</td>
                <td class="wrap">{time(h.time)}{h.caller && <div class="hint">{h.caller}</div>}</td>
                <td class="question"><Question text={h.question.split('\nmeasured:')[0]} />{!h.answered && <span class="tag warn">charged, no answer kept</span>}</td>
                <td class="num">{h.mu_squared_units ? `mu ${loss(Math.sqrt(h.mu_squared_units / 2 ** 40))}` : loss(h.plain_epsilon)}{h.delta_units > 0 && `, delta ${loss(h.delta_units / 2 ** 60)}`}</td>
                <td>{h.answered && <button type="button" class="quiet" disabled={certificate.reading === h.number} onClick={() => read(h)}>Read<span class="hidden"> the certificate of answer {h.number}</span></button>}</td>
              </tr>
            ))}</tbody>
          </table>
        </Scroll>
      ))}</Loaded>
      <CellsOf capped={b.guarantee.with_delta} cells={b.cells} />
      <details><summary>What is promised, and under what</summary><Guarantee of={b.guarantee} /><p class="hint">Head of the ledger:</p><code class="head">{b.ledger_hash}</code></details>
      <p class="buttons"><button type="button" class="quiet" onClick={() => { setFailed(null); download(dataset, b).catch(setFailed); }}>Download budget and history</button></p>
      {failed && <RefusalBox error={failed} />}
      {certificate.document && <CertificateDialog document={certificate.document} onClose={() => setCertificate({})} />}
    </>
  );
}

/** A question, or the beginning of a long one with the rest behind a click. */
function Question({text}) {
  if (text.length <= 240) return <code>{text}</code>;
  return <details class="long"><summary><code>{text.slice(0, 160)} …</code></summary><code>{text}</code></details>;
}

// So many losses are computed by the server; between them the line is straight.
const mostSteps = 40;

function History({dataset, b, page, limit, spent}) {
  // Before the first that is drawn: what the others spent, or nothing where others may have spent it.
  const listed = page.history.reduce((so, h) => so + h.plain_epsilon, 0);
  let sum = page.more && !b.allowance ? Math.max(0, spent - listed) : 0;
  const all = [...page.history].reverse().map((h) => ({number: h.number, plain: (sum += h.plain_epsilon)}));
  const every = Math.max(1, Math.ceil(all.length / mostSteps));
  const steps = all.filter((_, i) => i % every === 0 || i === all.length - 1);
  const dependent = useLoad((signal) => (steps.length ? api.dependence(dataset, steps.map((s) => s.plain), signal).then((d) => d.losses.map((l) => real(l.dependent))) : []),
    [dataset, b.ledger_hash]);
  if (!steps.length) return null;
  const drawn = steps.map((s, i) => ({...s, dependent: dependent.value?.[i] ?? null}));
  const several = b.cells.length > 1;
  return (
    <section aria-label="Losses over time">
      <h3>After each answer</h3>
      <p class="legend"><span class="key dependent">dependent loss</span> <span class="key plain">plain loss</span></p>
      <BudgetChart steps={drawn} plainLimit={limit} dependentLimit={real(b.dependent_total ?? b.epsilon_total)} />
      {b.allowance && sum < spent * (1 - 1e-9) && <p class="hint">Your own answers alone: the bars above also count what others asked.</p>}
      {page.more && <p class="hint">The last {number(page.history.length)} answers{b.allowance ? ', without what was asked before' : ''}.</p>}
      {several && <p class="hint">Drawn as if every answer were about everybody: where an answer is about some people alone, the others lose less (see the table by people).</p>}
    </section>
  );
}

function CellsOf({capped, cells}) {
  if (!capped) return <Cells cells={cells} />;
  return countsMu(capped) ? <CappedCells cells={cells} /> : <DeltaCells cells={cells} />;
}

/** Pure losses, and deltas for keys beside them. */
function DeltaCells({cells}) {
  if (cells.length < 2) return null;
  return (
    <details>
      <summary>By people: {number(cells.length)} kinds</summary>
      <Scroll label="Losses by people">
        <table>
          <thead><tr><th scope="col">People</th><th scope="col">Plain loss so far</th><th scope="col">Plain limit</th><th scope="col">Delta so far</th><th scope="col">Delta cap</th><th scope="col">Price still possible</th></tr></thead>
          <tbody>{cells.slice(0, 300).map((c) => (
            <tr key={c.name}><th scope="row">{c.name}</th><td class="num">{loss(c.plain_spent)}</td><td class="num">{left(c.plain_budget)}</td><td class="num">{loss(c.delta_spent ?? 0)}</td><td class="num">{left(c.delta_cap ?? 0)}</td><td class="num">{priceLeft(c.epsilon_left)}</td></tr>
          ))}</tbody>
        </table>
      </Scroll>
    </details>
  );
}

function CappedCells({cells}) {
  if (cells.length < 2) return null;
  return (
    <details>
      <summary>By people: {number(cells.length)} kinds</summary>
      <Scroll label="Losses by people">
        <table>
          <thead><tr><th scope="col">People</th><th scope="col">Gaussian loss</th><th scope="col">Cap</th><th scope="col">Price still possible</th></tr></thead>
          <tbody>{cells.slice(0, 300).map((c) => (
            <tr key={c.name}><th scope="row">{c.name}</th><td class="num">{loss(c.mu_spent)}</td><td class="num">{left(c.mu_cap)}</td><td class="num">{priceLeft(c.epsilon_left)}</td></tr>
          ))}</tbody>
        </table>
      </Scroll>
    </details>
  );
}

function Cells({cells}) {
  if (cells.length < 2) return null;
  return (
    <details>
      <summary>By people: {number(cells.length)} kinds</summary>
      <Scroll label="Losses by people">
        <table>
          <thead><tr><th scope="col">People</th><th scope="col">Dependent loss</th><th scope="col">Plain loss</th><th scope="col">Plain limit</th><th scope="col">Price still possible</th></tr></thead>
          <tbody>{cells.slice(0, 300).map((c) => (
            <tr key={c.name}><th scope="row">{c.name}</th><td class="num">{c.dependent_spent === null ? '–' : loss(c.dependent_spent)}</td><td class="num">{loss(c.plain_spent)}</td><td class="num">{left(c.plain_budget)}</td><td class="num">{priceLeft(c.epsilon_left)}</td></tr>
          ))}</tbody>
        </table>
      </Scroll>
    </details>
  );
}

// Questions whose price a curator must approve: for the analyst who asked them, and for the curator who decides.
import {useState} from 'preact/hooks';
import {api} from './api.js';
import {loss, number, time} from './format.js';
import {useLoad} from './hooks.js';
import {Loaded, RefusalBox, total} from './parts.jsx';

/** The request as it was sent: a question, a plan or an analysis, with its price. */
function asked(approval) {
  try {
    return JSON.parse(approval.request);
  } catch {
    return {};
  }
}

const textOf = (approval) => {
  const {question, questions, analysis, options} = asked(approval);
  return question ?? questions ?? (analysis ? `${analysis}: ${Object.entries(options ?? {}).map(([name, value]) => `${name} = ${[value].flat().join(', ')}`).join('; ')}` : approval.request);
};

const states = {waiting: 'waits for a curator', granted: 'granted', refused: 'refused', lapsed: 'not decided in time', taken: 'asked'};

/** Of an analyst: what waits, and what may be asked now; analyses, or all else. `turn` changes when something was asked. */
export function Waiting({dataset, users, turn, onAnswer, analyses = false}) {
  const state = useLoad(() => (users ? api.approvals(dataset) : []), [dataset, users, turn]);
  const open = (state.value ?? []).filter((a) => a.state !== 'taken' && (asked(a).analysis !== undefined) === analyses);
  const ask = async (approval) => {
    const request = asked(approval);
    const release = analyses ? api.analyse : request.questions === undefined ? api.release : api.releasePlan;
    try {
      const given = await release(dataset, {...request, approval: approval.id});
      onAnswer(analyses ? {job: given.id} : {answer: given});
    } catch (error) {
      onAnswer({error});
    }
  };
  if (!open.length) return null;
  return (
    <section aria-label="Questions that a curator decides about">
      <h3>Left to a curator</h3>
      {open.map((a) => (
        <article key={a.id} class="waiting">
          <p>No. {a.id}, plain loss {loss(a.plain_epsilon)}: <strong>{states[a.state] ?? a.state}</strong>{a.state === 'waiting' || a.state === 'granted' ? `, until ${time(a.expires)}` : ''}. {a.reason}</p>
          <pre class="engine">{textOf(a)}</pre>
          {a.state === 'granted' && <p class="buttons"><button type="button" onClick={() => ask(a)}>Ask it now</button></p>}
        </article>
      ))}
    </section>
  );
}

/** Of a curator: the explanation is all that there is to decide by; no data were read. */
export function Approvals({dataset}) {
  const state = useLoad(() => api.approvals(dataset), [dataset]);
  const [refused, setRefused] = useState(null);
  const decide = async (approval, granted, reason) => {
    setRefused(null);
    try {
      await api.decide(dataset, approval.id, granted, reason);
    } catch (error) {
      setRefused(error);
    }
    state.again();
  };
  return (
    <section>
      <h3>Questions that wait</h3>
      {refused && <RefusalBox error={refused} />}
      <Loaded state={state}>{(approvals) => (approvals.length === 0
        ? <p class="hint">None. Questions wait where the policy sets a price above which a curator decides.</p>
        : approvals.map((a) => <Decision key={a.id} approval={a} onDecide={decide} />))}</Loaded>
    </section>
  );
}

function Decision({approval: a, onDecide}) {
  const [reason, setReason] = useState('');
  const e = a.explanation;
  return (
    <article class="waiting" aria-label={`Question ${a.id}`}>
      <p><strong>{a.user}</strong> asks for a plain loss of {loss(a.plain_epsilon)} ({time(a.created)}; {states[a.state] ?? a.state}, until {time(a.expires)}).</p>
      <pre class="engine">{textOf(a)}</pre>
      {e && <p>{e.guarantee?.with_delta ? `The dependent loss of everybody would be ${total(e.dependent_after, e.guarantee.with_delta)}.` : `The dependent loss of everybody would go from ${loss(e.dependent_before)} to ${loss(e.dependent_after)}.`} Bars: {e.statistics.map((s) => `${s.name} ± ${number(s.error_95)}`).join(', ')}.</p>}
      {a.state === 'waiting' && (
        <form onSubmit={(event) => event.preventDefault()}>
          <label class="stack">Reason, which the analyst will read <input value={reason} onInput={(event) => setReason(event.currentTarget.value)} /></label>
          <p class="buttons">
            <button type="button" onClick={() => onDecide(a, true, reason)}>Grant</button>
            <button type="button" class="quiet" onClick={() => onDecide(a, false, reason)}>Refuse</button>
          </p>
        </form>
      )}
    </article>
  );
}

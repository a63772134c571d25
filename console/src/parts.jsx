// Pieces that several views show: refusals, losses, notes, guarantees, dialogs.
import {useEffect, useRef} from 'preact/hooks';
import {loss, real, spentAndLimit} from './format.js';

const titles = {
  budget_exhausted: 'The budget does not allow this',
  unsupported_query: 'This cannot be asked in this form',
  invalid_argument: 'Something is wrong with the request',
  storage: 'The server could not read or write something',
  cancelled: 'This was stopped',
  internal: 'kith made a mistake',
  unreachable: 'No connection',
  forbidden: 'You may not do this',
  unauthorized: 'You are not logged in',
};

const leftToCurator = (error) => error.said?.parameter === 'approval' && /curator decides/.test(error.said.hint ?? '');

/** Why something was not done, and what to do. `error`: a Refusal. */
export function RefusalBox({error, title}) {
  if (!error) return null;
  const said = error.said ?? {what: String(error.message ?? error)};
  return (
    <div class="refusal" role="alert">
      <strong>{title ?? (leftToCurator(error) ? 'A curator has to approve this' : titles[said.code]) ?? 'This was refused'}</strong>
      <p>{sentence(said.what)}</p>
      {said.where && <p class="where">At: <code>{said.where}</code></p>}
      {said.hint && <p><span class="next">What to do:</span> {leftToCurator(error) ? 'wait. It is under “Left to a curator”; once it is granted, it can be asked there.' : said.hint}</p>}
    </div>
  );
}

// Texts of the library begin with a small letter. What may be the name of a column is left as it is.
const ordinary = /^(all|everything|the|there|this|that|these|an?|at|no|nothing|how|it|in|within|priced|somebody|only|every|each|one|what|your?|pages|memory|too|to|with|under|before|after|since|if|where|such)\b/;

/** A text of the library as a sentence. */
export function sentence(text) {
  if (!text) return '';
  const end = /[.!?]$/.test(text) ? '' : '.';
  return (ordinary.test(text) ? text[0].toUpperCase() + text.slice(1) : text) + end;
}

/** A loss of everything, with its delta where it has one: without it the loss would not be bounded. `capped`: the document's with_delta. */
export const total = (value, capped, delta = 'delta') => (capped ? `(${loss(value)}, ${loss(capped[delta])}), the answers to come${countsMu(capped) ? '' : ' under this policy'} included` : loss(value));

/** The loss of one answer: pure, pure beside a delta, or a Gaussian one. */
export const once = (plain) => (plain?.mu ? `a Gaussian loss of ${loss(plain.mu)}${real(plain.epsilon ?? null) > 0 ? ` (a pure loss of ${loss(plain.epsilon)})` : ''}` : plain?.delta ? pair(plain.epsilon, plain.delta) : loss(plain?.epsilon));

/** Both losses against their limits; under caps how much of the caps is used, and what holds of all of it. `more`: Gaussian loss that would be added. */
export function Losses({capped, more = 0, dependent, plain}) {
  if (!capped) return <><Meter name="Dependent loss" {...dependent} sum /><Meter name="Plain loss" {...plain} /></>;
  return <>{countsMu(capped) ? <CapsMeter name="Budget used" capped={capped} more={more} /> : <Meter name="Plain loss so far" {...plain} after={undefined} />}<p class="hint">Guaranteed of all answers, those to come{countsMu(capped) ? '' : ' under this policy'} included: dependent loss {pair(capped.epsilon, capped.delta)}, plain loss {pair(capped.plain_epsilon, capped.plain_delta)}.</p></>;
}

/** Whether everything is counted as Gaussian loss: until then pure losses are, with deltas for keys beside them. */
export const countsMu = (capped) => real(capped.mu_cap) > 0;

const pair = (epsilon, delta) => `(${loss(epsilon)}, ${loss(delta)})`;

/** The share of the caps that is used, or would be. `capped` is as of after `more` was added, if anything was. */
export function CapsMeter({name, capped, more = 0}) {
  const share = (squared) => (100 * Math.max(0, squared)) / real(capped.mu_cap) ** 2;
  const used = real(capped.mu_spent) ** 2;
  return <Meter name={name} before={share(used - more ** 2)} after={more > 0 ? share(used) : undefined} limit={100} unit=" %" about={`Everything under the caps: dependent loss ${pair(capped.epsilon, capped.delta)}`} />;
}

/** How much of a loss is spent, would be spent, and is allowed. Says the same in words. `sum`: the limit is itself a loss, that of the whole budget. */
export function Meter({name, before, after, limit, about, unit = '', sum = false}) {
  const [b, a, l] = [real(before), real(after ?? before), real(limit)];
  const share = (x) => (Number.isFinite(x / l) ? Math.min(100, Math.max(0, (100 * x) / l)) : 100);
  const [spent, allowed] = sum ? [loss(a), loss(l)] : spentAndLimit(a, l);
  const words = `${after === undefined ? '' : `${loss(b)} → `}${spent} of ${allowed}${unit}`;
  return (
    <div class="meter" title={about}>
      <div class="meter-words"><span>{name}</span><span>{words}</span></div>
      <svg class="meter-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="meter-free" width="100" height="6" />
        <rect class={a > l * (1 + 1e-9) ? 'meter-over' : 'meter-more'} width={share(a)} height="6" />
        <rect class="meter-spent" width={share(b)} height="6" />
      </svg>
    </div>
  );
}

export function Notes({notes}) {
  if (!notes?.length) return null;
  return <ul class="notes">{notes.map((note) => <li key={note}>{sentence(note)}</li>)}</ul>;
}

/** Every label that belongs to a promise. */
export function Guarantee({of}) {
  const lines = [
    ['Hidden change', of.neighbours], ['From whom', of.adversary], ['Provided that', of.assumption], ['Where that comes from', of.dependence_source],
    ['Step from plain to dependent loss', of.bound], ['With a delta', sentence(of.with_delta?.in_words)], ['Version of the data', of.data_version],
    ['Not proved', of.unproven], ['Alarm', of.alarm], ['One-sided', of.one_sided],
  ].filter(([, text]) => text);
  return (
    <dl class="facts">
      {lines.map(([name, text]) => (
        <div key={name}><dt>{name}</dt><dd>{text}</dd></div>
      ))}
    </dl>
  );
}

export function Dialog({title, onClose, children}) {
  const ref = useRef(null);
  useEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog ref={ref} onClose={onClose} aria-label={title}
      onClick={(event) => event.target === ref.current && ref.current.close()}>
      <div class="dialog-body">
        <header>
          <h2>{title}</h2>
          <button type="button" class="quiet" onClick={() => ref.current.close()}>Close</button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

export const Loading = ({what = 'Loading'}) => <p class="loading" role="status">{what} …</p>;

/** What is loading, refused or there. */
export function Loaded({state, children}) {
  if (state.error) return <RefusalBox error={state.error} />;
  if (state.value === undefined) return <Loading />;
  return children(state.value);
}

/** A table that scrolls by itself where the screen is narrow, and can be reached with the keyboard. */
export const Scroll = ({label, children}) => <div class="scroll" tabIndex={0} role="region" aria-label={label}>{children}</div>;

// The policy, for curators: change its text, see what would be accepted, and take it along. The file on the server is
// the policy; writing it is the act of whoever has the server.
import {useRef, useState} from 'preact/hooks';
import {api} from './api.js';
import {save} from './format.js';
import {useLoad} from './hooks.js';
import {Loaded, Loading, RefusalBox, sentence} from './parts.jsx';

/** Of "policy:4" or "policy:4:2": 4. */
const lineIn = (where) => Number(/(?:^|:)(\d+)/.exec((where ?? '').replace(/^policy/, ''))?.[1]) || 0;

export function Policy({dataset}) {
  const state = useLoad(() => api.policy(dataset), [dataset]);
  const [text, setText] = useState(null);
  const [result, setResult] = useState({});
  const area = useRef(null);
  const now = text ?? state.value?.policy;
  const check = async () => {
    setResult({checking: true});
    try {
      setResult({diff: await api.checkPolicy(dataset, now), of: now});
    } catch (error) {
      setResult({error, of: now});
    }
  };
  const goTo = (line) => {
    const lines = now.split('\n');
    const from = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    area.current.focus();
    area.current.setSelectionRange(from, from + (lines[line - 1] ?? '').length);
    area.current.scrollTop = (area.current.scrollHeight * Math.max(0, line - 4)) / Math.max(1, lines.length);
  };
  const line = result.error ? lineIn(result.error.said?.where) : 0;
  const old = result.of !== undefined && result.of !== now;
  return (
    <section><h3>Policy</h3><Loaded state={state}>{({policy}) => (
      <>
        <label class="stack">Change it here to see what would be accepted. Nothing is saved: the policy is the file on the server.
          <textarea class="policy" ref={area} rows={18} spellcheck={false} value={now} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <p class="buttons">
          <button type="button" onClick={check} disabled={result.checking}>Check</button>
          <button type="button" class="quiet" disabled={text === null || text === policy} onClick={() => { setText(null); setResult({}); }}>Back to the file</button>
          <button type="button" class="quiet" disabled={!result.diff?.accepted || old} onClick={() => save(`${dataset}.toml`, 'application/toml', now)}>Download what was checked</button>
        </p>
        <div aria-live="polite">
          {result.checking && <Loading what="Checking" />}
          {old && <p class="worth warn">This is about the text before the last change. Check again.</p>}
          {result.error && <RefusalBox error={result.error} />}
          {line > 0 && !old && <p class="buttons"><button type="button" class="quiet" onClick={() => goTo(line)}>Go to line {line}</button></p>}
          {result.diff && <Diff diff={result.diff} />}
        </div>
      </>
    )}</Loaded></section>
  );
}

const words = {accepted: 'Accepted', review: 'To be reviewed', refused: 'Refused'};

function Diff({diff}) {
  const anew = diff.asked_again;
  return (
    <>
      <p class="verdict"><strong>{diff.accepted ? `This would be accepted${diff.policy_version ? ` as generation ${diff.policy_version}` : ''}.` : 'This would be refused.'}</strong> {sentence(diff.reason)}</p>
      {diff.alarm && <p class="worth warn">{diff.alarm}</p>}
      {diff.changes.length === 0 ? <p class="hint">Nothing that matters to the ledger differs.</p> : (
        <ul class="worth">{diff.changes.map((c) => <li key={c.what} class={c.verdict === 'accepted' ? '' : 'warn'}><strong>{words[c.verdict] ?? c.verdict}:</strong> {c.what}. {sentence(c.why)} {sentence(c.next)}</li>)}</ul>
      )}
      {diff.cells.filter((c) => c.from === null).map((c) => <p key={c.column} class="hint">{c.column}: every value starts with the total of the cell that it divides.</p>)}
      {diff.other_data && <p class="hint">A new version of the data begins.</p>}
      {diff.accepted && diff.changes.length > 0 && <p class="hint">{anew === 'all' ? 'No stored answer is found again.' : anew.length ? `Stored answers are found again unless they read ${anew.join(', ')}.` : 'All stored answers about the same version of the data are found again.'}</p>}
      {diff.accepted && <p class="hint">To use it, put it in the place of the policy’s file on the server and start the server again.</p>}
    </>
  );
}

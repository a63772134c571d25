// For curators: questions that wait, what an import found, what a changed policy would mean, and who may ask.
import {useState} from 'preact/hooks';
import {api} from './api.js';
import {number, time} from './format.js';
import {useLoad} from './hooks.js';
import {Loaded, Loading, RefusalBox, Scroll, sentence} from './parts.jsx';
import {Approvals} from './waiting.jsx';

export function CuratorView({dataset}) {
  return (
    <>
      <h2>Curator</h2>
      <Approvals key={`waiting ${dataset}`} dataset={dataset} />
      <Users />
      <Import dataset={dataset} />
      <Policy key={dataset} dataset={dataset} />
    </>
  );
}

function Users() {
  const state = useLoad(() => api.users(), []);
  return (
    <section><h3>People</h3><Loaded state={state}>{({users}) => (
      <Scroll label="People">
        <table>
          <thead><tr><th scope="col">Name</th><th scope="col">Role</th><th scope="col">Datasets and allowances</th><th scope="col">Tokens</th></tr></thead>
          <tbody>{users.map((u) => (
            <tr key={u.name}>
              <th scope="row">{u.name}</th><td>{u.role}</td>
              <td class="wrap">{(u.grants ?? []).map((g) => `${g.dataset}${g.allowance === undefined ? '' : `: plain loss ${number(g.allowance)}`}`).join('; ') || (u.role === 'curator' ? 'every dataset' : '–')}</td>
              <td class="wrap">{(u.tokens ?? []).map((t) => `${t.name}${t.revoked ? ' (revoked)' : t.ends ? ` until ${time(t.ends)}` : ''}`).join('; ') || '–'}</td>
            </tr>
          ))}</tbody>
        </table>
      </Scroll>
    )}</Loaded></section>
  );
}

function Import({dataset}) {
  const [state, setState] = useState({});
  const run = async () => {
    setState({loading: true});
    try {
      setState({value: await api.import(dataset)});
    } catch (error) {
      setState({error});
    }
  };
  return (
    <section>
      <h3>Import</h3>
      <p>Reads the tables again and reports what was found. Unless the policy declares a version, this is a new version of the data. The report is exact and not protected: for you alone.</p>
      <p class="buttons"><button type="button" onClick={run} disabled={state.loading}>{state.loading ? 'Reading …' : 'Import now'}</button></p>
      <div aria-live="polite">
        {state.loading && <Loading what="Reading the tables" />}
        {state.error && <RefusalBox error={state.error} />}
        {state.value && <Report report={state.value} />}
      </div>
    </section>
  );
}

function Report({report}) {
  return (
    <>
      {report.error && <RefusalBox error={{said: report.error}} />}
      {report.findings.length > 0 ? <ul class="worth">{report.findings.map((f) => <li key={f.text} class={f.grave ? 'warn' : ''}>{sentence(f.text)}</li>)}</ul> : <p>Nothing stands out.</p>}
      {report.units && <p>{number(report.units.units)} units; the most rows of one: {number(report.units.most_rows)} (allowed: {number(report.units.max_rows)}).</p>}
      {report.tables.map((table) => (
        <Scroll key={table.name} label={`What was found in ${table.name}`}>
          <table>
            <caption>{table.name}: {number(table.rows)} rows of {table.source}</caption>
            <thead><tr><th scope="col">Column</th><th scope="col">Empty</th><th scope="col">Unreadable</th><th scope="col">Not declared</th><th scope="col">Below</th><th scope="col">Above</th></tr></thead>
            <tbody>{table.columns.map((c) => (
              <tr key={c.name}><th scope="row"><code>{c.name}</code></th>{[c.empty, c.unreadable, c.undeclared, c.below, c.above].map((n, i) => <td key={i} class="num">{number(n)}</td>)}</tr>
            ))}</tbody>
          </table>
        </Scroll>
      ))}
    </>
  );
}

function Policy({dataset}) {
  const state = useLoad(() => api.policy(dataset), [dataset]);
  const [text, setText] = useState(null);
  const [result, setResult] = useState({});
  const check = async () => {
    setResult({checking: true});
    try {
      setResult({diff: await api.checkPolicy(dataset, text ?? state.value.policy)});
    } catch (error) {
      setResult({error});
    }
  };
  return (
    <section><h3>Policy</h3><Loaded state={state}>{({policy}) => (
      <>
        <label class="stack">Change it here to see what would be accepted. Nothing is saved: the policy is the file on the server.
          <textarea class="policy" rows={16} spellcheck={false} value={text ?? policy} onInput={(event) => setText(event.currentTarget.value)} /></label>
        <p class="buttons"><button type="button" onClick={check} disabled={result.checking}>Check</button></p>
        <div aria-live="polite">
          {result.error && <RefusalBox error={result.error} />}
          {result.diff && <Diff diff={result.diff} />}
        </div>
      </>
    )}</Loaded></section>
  );
}

function Diff({diff}) {
  return (
    <>
      <p><strong>{diff.accepted ? 'This would be accepted.' : 'This would be refused.'}</strong> {sentence(diff.reason)}</p>
      {diff.alarm && <p class="worth warn">{diff.alarm}</p>}
      {diff.changes.length === 0 ? <p class="hint">No change.</p> : (
        <ul class="worth">{diff.changes.map((c) => <li key={c.what} class={c.verdict === 'accepted' ? '' : 'warn'}><strong>{c.verdict}:</strong> {c.what}. {sentence(c.why)} {sentence(c.next)}</li>)}</ul>
      )}
    </>
  );
}

// For curators: questions that wait, what an import found, what a changed policy would mean, and who may ask.
import {useState} from 'preact/hooks';
import {api} from './api.js';
import {number, save} from './format.js';
import {Loading, RefusalBox, Scroll, sentence} from './parts.jsx';
import {People} from './people.jsx';
import {Policy} from './policy.jsx';
import {Approvals} from './waiting.jsx';

export function CuratorView({dataset}) {
  return (
    <>
      <h2>Curator</h2>
      <Approvals key={`waiting ${dataset}`} dataset={dataset} />
      <People key={`people ${dataset}`} dataset={dataset} />
      <Import key={`import ${dataset}`} dataset={dataset} />
      <Policy key={dataset} dataset={dataset} />
    </>
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
        {state.value && <p class="buttons"><button type="button" class="quiet" onClick={() => save(`${dataset}-import.json`, 'application/json', JSON.stringify(state.value, null, 2))}>Download the report</button></p>}
      </div>
    </section>
  );
}

function Report({report}) {
  return (
    <>
      {report.error && <RefusalBox error={{said: report.error}} />}
      {report.findings.length > 0 ? <ul class="worth">{report.findings.map((f) => <li key={f.text} class={f.serious ? 'warn' : ''}>{sentence(f.text)}</li>)}</ul> : <p>Nothing stands out.</p>}
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

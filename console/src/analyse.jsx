// Analyses: statistics that take several questions. They run as jobs, which go on when the page is closed.
import {useEffect, useState} from 'preact/hooks';
import {api, Refusal} from './api.js';
import {Answered} from './answer.jsx';
import {Before, isFree, leftToAsk, PriceInput} from './ask.jsx';
import {ColumnList} from './data.jsx';
import {loss, number} from './format.js';
import {useKept, useLoad, useSettled} from './hooks.js';
import {Loaded, RefusalBox, Scroll} from './parts.jsx';
import {Waiting} from './waiting.jsx';

const list = (text) => text.split(',').map((part) => part.trim()).filter(Boolean);
const where = {key: 'where', label: 'Only rows where', help: 'a condition as in SQL; may be empty', optional: true};

/** What each analysis needs. `as` turns the text of a field into what the server takes. */
const kinds = {
  percentiles: {name: 'Percentiles of a number', fields: [{key: 'column', label: 'Column'}, where]},
  cumulative: {name: 'A cumulative curve of a number', fields: [{key: 'column', label: 'Column'}, {key: 'cells', label: 'In how many parts', as: Number, type: 'number', optional: true}, where]},
  contingency: {name: 'Two columns against each other', fields: [{key: 'rows', label: 'Rows by'}, {key: 'columns', label: 'Columns by'}, where]},
  top: {name: 'The most frequent values', fields: [{key: 'column', label: 'Column'}, {key: 'count', label: 'How many', as: Number, type: 'number'}, where]},
  regression: {name: 'Linear regression', fields: [{key: 'target', label: 'Explained number'}, {key: 'features', label: 'By these numbers', help: 'names with commas', as: list}, where]},
  survival: {name: 'Survival curves', fields: [{key: 'time', label: 'Time of each unit'}, {key: 'event', label: 'Condition: the event happened then'},
    {key: 'step', label: 'Length of a step', as: Number, type: 'number'}, {key: 'by', label: 'A curve for each value of', optional: true}, where]},
  kmeans: {name: 'Clusters', fields: [{key: 'columns', label: 'Numbers', help: 'names with commas', as: list}, {key: 'clusters', label: 'How many', as: Number, type: 'number'}, where]},
};

function optionsOf(kind, texts) {
  const options = {};
  for (const field of kinds[kind].fields) {
    const text = (texts[field.key] ?? '').trim();
    if (text === '') {
      if (!field.optional) return null;
      continue;
    }
    options[field.key] = field.as ? field.as(text) : text;
  }
  return options;
}

export function AnalyseView({dataset, columns, budget, role, users}) {
  const [kind, setKind] = useKept(`analysis.${dataset}`, 'percentiles');
  const [texts, setTexts] = useKept(`options.${dataset}.${kind}`, {});
  const [epsilon, setEpsilon] = useKept(`analysis.epsilon.${dataset}`, Number(((budget.value?.epsilon_total ?? 1) / 10).toPrecision(1)));
  const [result, setResult] = useState({});
  const [turn, setTurn] = useState(0);
  const options = optionsOf(kind, texts);
  const asked = {analysis: kind, epsilon: Number(epsilon), options};
  const settled = useSettled(asked);
  const ready = settled.options !== null && settled.epsilon > 0;
  const seen = useLoad((signal) => (ready ? api.explainAnalysis(dataset, settled, signal) : null), [dataset, JSON.stringify(settled), budget.value?.ledger_head]);
  const current = JSON.stringify(settled) === JSON.stringify(asked) && !seen.loading;
  useEffect(() => setResult({}), [dataset]);

  const begin = async () => {
    setResult({busy: true});
    try {
      const job = await api.analyse(dataset, asked);
      setResult({job: job.id});
    } catch (error) {
      setResult({error});
    }
    setTurn((t) => t + 1);
  };
  const ended = (job) => {
    budget.again();
    setTurn((t) => t + 1);
    setResult(job.result?.error ? {error: new Refusal(job.result.error, job.status)} : {answer: job.result});
  };

  return (
    <div class="two">
      <div>
        <h2>Analyse</h2>
        <form onSubmit={(event) => { event.preventDefault(); begin(); }}>
          <label class="stack">Analysis <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            {Object.entries(kinds).map(([key, each]) => <option key={key} value={key}>{each.name}</option>)}
          </select></label>
          {kinds[kind].fields.map((field) => (
            <label class="stack" key={`${kind} ${field.key}`}>{field.label}{field.help && <span class="hint"> ({field.help})</span>}
              <input name={field.key} type={field.type ?? 'text'} step="any" required={!field.optional} value={texts[field.key] ?? ''}
                onInput={(event) => setTexts({...texts, [field.key]: event.currentTarget.value})} />
            </label>
          ))}
          <fieldset class="price"><legend>Price</legend><PriceInput label="Epsilon" value={epsilon} onInput={setEpsilon} most={leftToAsk(budget.value)} /></fieldset>
          <Before seen={seen} current={current} ready={ready} budget={budget.value} what="Fill in what the analysis needs, and a price." />
          <p class="buttons"><button type="submit" class="main" disabled={!ready || result.busy || Boolean(result.job)}>{result.job ? 'Running …' : current && isFree(seen.value) ? 'Begin: free' : `Begin: spend ${loss(epsilon)}`}</button></p>
        </form>
        <div aria-live="polite">
          {result.job && <Running key={result.job} id={result.job} onEnd={ended} />}
          {result.error && <RefusalBox error={result.error} />}
          {result.answer && <Answered answer={result.answer} budget={budget.value} />}
        </div>
        <Jobs dataset={dataset} turn={turn} onShow={(id) => setResult({job: id})} />
        <Waiting dataset={dataset} users={users && role === 'analyst'} turn={turn} analyses onAnswer={(next) => { setResult(next); setTurn((t) => t + 1); }} />
      </div>
      <aside aria-label="Columns"><ColumnList columns={columns} brief /></aside>
    </div>
  );
}

/** A job until it has ended: its stage and whole seconds, which is all that is said of it. */
function Running({id, onEnd}) {
  const [job, setJob] = useState(null);
  const [error, setError] = useState(null);
  useEffect(() => {
    let timer = 0;
    let over = false;
    const look = async () => {
      try {
        const now = await api.job(id);
        if (over) return;
        setJob(now);
        if (['done', 'failed', 'cancelled'].includes(now.state)) onEnd(now);
        else timer = setTimeout(look, 700);
      } catch (e) {
        if (!over) setError(e);
      }
    };
    look();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [id]);
  if (error) return <RefusalBox error={error} />;
  return (
    <p>{job?.state === 'running' ? `${job.stage || 'running'}, ${number(job.seconds)} s` : 'waits for its turn'} <button type="button" class="quiet" onClick={() => api.stopJob(id).catch(setError)}>Stop</button></p>
  );
}

const states = {waiting: 'waits for its turn', running: 'running', done: 'done', failed: 'refused or failed', cancelled: 'stopped'};

function Jobs({dataset, turn, onShow}) {
  const state = useLoad(() => api.jobs(), [turn]);
  return (
    <Loaded state={state}>{(all) => {
      const own = all.filter((job) => job.dataset === dataset);
      return own.length === 0 ? null : (
        <section>
          <h3>Jobs</h3>
          <p class="hint">They go on when this page is closed, and are known for a day.</p>
          <Scroll label="Jobs">
            <table>
              <thead><tr><th scope="col">What</th><th scope="col">State</th><th scope="col">Seconds</th><th scope="col">Result</th></tr></thead>
              <tbody>{own.map((job) => (
                <tr key={job.id}><th scope="row">{kinds[job.what]?.name ?? job.what}</th><td>{states[job.state] ?? job.state}</td><td class="num">{number(job.seconds)}</td>
                  <td><button type="button" class="quiet" onClick={() => onShow(job.id)}>Show<span class="hidden"> the result of {job.what}</span></button></td></tr>
              ))}</tbody>
            </table>
          </Scroll>
        </section>
      );
    }}</Loaded>
  );
}

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

// Parts between commas that are not inside of brackets or quotes.
const list = (text) => (text.match(/(?:[^,()'"]|\([^()]*\)|'[^']*'|"[^"]*")+/g) ?? []).map((part) => part.trim()).filter(Boolean);
const label = (name) => name[0].toUpperCase() + name.slice(1).replaceAll('_', ' ');

/** What was typed, as the server takes it. `schema`: of the option. */
function read(schema, text) {
  if (schema.type === 'array') return list(text).map((part) => read(schema.items, part));
  if (schema.type === 'boolean') return text === 'true';
  return schema.type === 'string' ? text : Number(text);
}

function optionsOf(kind, texts) {
  const options = {};
  for (const option of kind.options) {
    const text = (texts[option.name] ?? '').trim();
    if (text === '') {
      if (option.needed) return null;
      continue;
    }
    options[option.name] = read(option, text);
  }
  return options;
}

export function AnalyseView(props) {
  const kinds = useLoad(() => api.analyses(), []);
  return <Loaded state={kinds}>{(known) => <Analyse kinds={known} {...props} />}</Loaded>;
}

/** One option of an analysis, as its description says. */
function Field({option, text, onInput}) {
  const take = (event) => onInput(event.currentTarget.value);
  const hint = <span class="hint"> ({option.description})</span>;
  if (option.type === 'boolean') {
    return <label class="inline"><input type="checkbox" name={option.name} required={option.needed} checked={text === 'true'} onChange={(event) => onInput(event.currentTarget.checked ? 'true' : '')} /> {label(option.name)}{hint}</label>;
  }
  return (
    <label class="stack">{label(option.name)}{hint}
      {option.enum
        ? <select name={option.name} value={text} onChange={take}><option value="">as it is chosen</option>{option.enum.map((each) => <option key={each}>{each}</option>)}</select>
        : <input name={option.name} type={['number', 'integer'].includes(option.type) ? 'number' : 'text'} step="any" min={option.minimum} max={option.maximum} required={option.needed} value={text} onInput={take} />}
    </label>
  );
}

function Analyse({kinds, dataset, columns, budget, role, users}) {
  const [name, setName] = useKept(`analysis.${dataset}`, 'percentiles');
  const kind = kinds.find((each) => each.name === name) ?? kinds[0];
  const [texts, setTexts] = useKept(`options.${dataset}.${kind.name}`, {});
  const [epsilon, setEpsilon] = useKept(`analysis.epsilon.${dataset}`, Number(((budget.value?.epsilon_total ?? 1) / 10).toPrecision(1)));
  const [result, setResult] = useState({});
  const [turn, setTurn] = useState(0);
  const options = optionsOf(kind, texts);
  const asked = {analysis: kind.name, epsilon: Number(epsilon), options};
  const settled = useSettled(asked);
  const ready = settled.options !== null && settled.epsilon > 0;
  const seen = useLoad((signal) => (ready ? api.explainAnalysis(dataset, settled, signal) : null), [dataset, JSON.stringify(settled), budget.value?.ledger_hash]);
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
          <label class="stack">Analysis <select value={kind.name} onChange={(event) => setName(event.currentTarget.value)}>
            {kinds.map((each) => <option key={each.name} value={each.name}>{each.title}</option>)}
          </select></label>
          <p class="hint">{kind.about}.{kind.needs && ` It needs ${kind.needs}.`}</p>
          {kind.options.map((option) => (
            <Field key={`${kind.name} ${option.name}`} option={option} text={texts[option.name] ?? ''} onInput={(text) => setTexts({...texts, [option.name]: text})} />
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
        <Jobs kinds={kinds} dataset={dataset} turn={turn} onShow={(id) => setResult({job: id})} />
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

function Jobs({kinds, dataset, turn, onShow}) {
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
                <tr key={job.id}><th scope="row">{kinds.find((each) => each.name === job.what)?.title ?? job.what}</th><td>{states[job.state] ?? job.state}</td><td class="num">{number(job.seconds)}</td>
                  <td><button type="button" class="quiet" onClick={() => onShow(job.id)}>Show<span class="hidden"> the result of {job.what}</span></button></td></tr>
              ))}</tbody>
            </table>
          </Scroll>
        </section>
      );
    }}</Loaded>
  );
}

// What the answers so far give away, and what one more would, to whom.
import {useState} from 'preact/hooks';
import {api} from './api.js';
import {BarChart} from './chart.jsx';
import {loss, number, real} from './format.js';
import {useKept, useLoad, useSettled} from './hooks.js';
import {PriceInput} from './ask.jsx';
import {Loaded, Scroll, sentence} from './parts.jsx';

export function AuditView({dataset, budget}) {
  const [epsilon, setEpsilon] = useKept(`audit.${dataset}`, Number(((budget.value?.epsilon_total ?? 1) / 10).toPrecision(1)));
  const settled = useSettled(epsilon, 250);
  const seen = useLoad((signal) => api.audit(dataset, settled > 0 ? settled : 0.1, signal), [dataset, settled, budget.value?.ledger_hash]);
  return (
    <>
      <h2>What answers give away</h2>
      <p>Losses bound how much the odds of any guess about a person can change. Below: for whom, after the answers so far, and after one more.</p>
      <PriceInput label="Price of one more answer" value={epsilon} onInput={setEpsilon} most={budget.value?.epsilon_left} />
      <Loaded state={seen}>{(audit) => <Audit audit={audit} />}</Loaded>
    </>
  );
}

const odds = (x) => (Number.isFinite(real(x)) ? `${loss(Math.exp(real(x)))} times` : '∞');

function Audit({audit}) {
  const [chosen, setChosen] = useState(0);
  const stratum = audit.strata[Math.min(chosen, audit.strata.length - 1)];
  if (!stratum) return <p class="verdict" role="status">{audit.verdict}</p>;
  const counted = audit.places.some((p) => p.units !== null);
  const bars = stratum.bounds.filter((r) => Number.isFinite(real(r.after))).map((r) => ({name: r.name, value: real(r.after), beside: real(r.now)}));
  return (
    <>
      <p class="verdict" role="status">{audit.verdict}</p>
      {audit.unproven && <p class="worth warn">{sentence(audit.unproven)}</p>}
      {audit.strata.length > 1 && (
        <label class="inline">People <select value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
          {audit.strata.map((s, i) => <option key={s.name} value={i}>{s.name}</option>)}
        </select></label>
      )}
      {bars.length > 0 && (
        <>
          <p class="legend"><span class="key fill">loss after one more answer</span> <span class="key beside">now</span></p>
          <BarChart bars={bars} text={loss} label="loss" title="Loss by reading; the table has the same numbers" />
        </>
      )}
      <Scroll label="Who learns what">
        <table>
          <caption>Who learns what about somebody{audit.strata.length > 1 ? ` (${stratum.name})` : ''}</caption>
          <thead><tr><th scope="col">Reading</th><th scope="col">Against</th><th scope="col">Loss now</th><th scope="col">After one more</th><th scope="col">Odds move at most</th></tr></thead>
          <tbody>{stratum.bounds.map((r) => (
            <tr key={r.name}>
              <th scope="row">{r.name}{!r.theorem && <span class="tag warn">not a theorem</span>}</th>
              <td class="wrap">{r.adversary}</td><td class="num">{loss(r.now)}</td><td class="num">{loss(r.after)}</td><td class="num">{odds(r.after)}</td>
            </tr>
          ))}</tbody>
        </table>
      </Scroll>
      {audit.places.length > 0 && (
        <Scroll label="By place among the others">
          <table>
            <caption>By place among the others</caption>
            <thead><tr><th scope="col">Somebody</th>{counted && <th scope="col">How many</th>}<th scope="col">Loss now</th><th scope="col">After one more</th></tr></thead>
            <tbody>{audit.places.map((p) => (
              <tr key={p.shape}><th scope="row">{p.shape}</th>{counted && <td class="num">{p.units === null ? '–' : number(p.units)}</td>}<td class="num">{p.now === null ? '–' : loss(p.now)}</td><td class="num">{p.after === null ? '–' : loss(p.after)}</td></tr>
            ))}</tbody>
          </table>
        </Scroll>
      )}
    </>
  );
}

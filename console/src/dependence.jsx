// How records depend on each other, as a drawing that can be tried out: a slider for the strength, and what becomes of the loss and the noise.
import {useState} from 'preact/hooks';
import {api} from './api.js';
import {BarChart, TransferChart} from './chart.jsx';
import {left, loss, number, real} from './format.js';
import {useLoad, useSettled} from './hooks.js';
import {Loaded, RefusalBox, Scroll, sentence} from './parts.jsx';

export function DependenceView({dataset, budget}) {
  const declared = useLoad(() => api.dependence(dataset), [dataset]);
  return (
    <>
      <h2>Dependence</h2>
      {budget.value && <p>Declared in the policy: {budget.value.assumption}.</p>}
      <p>Here you can try what another strength would mean. Nothing is charged, no data is read, and the policy stays as it is.</p>
      <Loaded state={declared}>{(model) => <Trial key={dataset} start={setting(model)} epsilon={budget.value?.epsilon_total ?? 1} />}</Loaded>
    </>
  );
}

const kinds = {
  group: {name: 'Groups: households, families, classes', size: 'Members of a group', least: 2, most: 12},
  field: {name: 'A graph: somebody and their friends', size: 'Friends of one person', least: 1, most: 8},
  chain: {name: 'A chain: one moment after another', size: 'Moments', least: 2, most: 60},
};

/** The controls that come nearest to what is declared (route dependence). */
export function setting({kind, size, odds_ratio: odds, stay}) {
  const nearest = kinds[kind] ? kind : 'group';
  const {least, most} = kinds[nearest];
  return {kind: nearest, size: clamp(size ?? 3, least, most), odds: clamp(odds ?? (kind === 'group' ? 50 : 4), 1, 50), stay: clamp(stay ?? 0.8, 0.5, 0.98)};
}

const clamp = (x, low, high) => Math.min(high, Math.max(low, Number(x) || low));

/** The document that kith transfer takes. */
export function modelOf({kind, size, odds, stay}) {
  if (kind === 'group') return {kind, size, odds_ratio: odds};
  if (kind === 'chain') return {kind, transition: [[stay, 1 - stay], [1 - stay, stay]], start: [0.5, 0.5], length: size};
  const strength = Math.log(odds);
  return {kind, nodes: size + 1, edges: Array.from({length: size}, (_, i) => [0, i + 1, strength])};
}

function Trial({start, epsilon}) {
  const [chosen, setChosen] = useState(start);
  const set = (change) => setChosen((old) => ({...old, ...change}));
  const settled = useSettled(chosen, 120);
  const model = modelOf(settled);
  const seen = useLoad(async (signal) => {
    const points = Array.from({length: 9}, (_, i) => (epsilon * i) / 8);
    const [there, compared, ...curve] = await Promise.all([
      api.transfer({model, dependent: epsilon}, signal),
      api.compareNoise({model, dependent: epsilon}, signal),
      ...points.slice(1).map((plain) => api.transfer({model, plain}, signal)),
    ]);
    return {there, compared, curve: [{plain: 0, dependent: 0}, ...curve.map((t) => ({plain: real(t.plain), dependent: real(t.dependent)}))]};
  }, [JSON.stringify(settled), epsilon]);
  const kind = kinds[chosen.kind];
  const size = (k) => clamp(chosen.size, kinds[k].least, kinds[k].most);
  const log = Math.log(chosen.odds) / Math.log(50);
  return (
    <div class="two even">
      <div>
        <form class="controls" onSubmit={(event) => event.preventDefault()}>
          <label>Kind <select value={chosen.kind} onChange={(event) => set({kind: event.currentTarget.value, size: size(event.currentTarget.value)})}>
            {Object.entries(kinds).map(([key, k]) => <option key={key} value={key}>{k.name}</option>)}
          </select></label>
          <label><span>{kind.size}: <output>{chosen.size}</output></span>
            <input type="range" min={kind.least} max={kind.most} step="1" value={chosen.size} onInput={(event) => set({size: Number(event.currentTarget.value)})} />
          </label>
          {chosen.kind === 'chain'
            ? <label><span>Chance that the next moment is the same: <output>{number(chosen.stay)}</output></span>
                <input id="strength" type="range" min="0.5" max="0.98" step="0.01" value={chosen.stay} onInput={(event) => set({stay: Number(event.currentTarget.value)})} /></label>
            : <label><span>Strength, as an odds ratio: <output>{number(chosen.odds)}</output></span>
                <input id="strength" type="range" min="0" max="1" step="0.01" value={log} aria-valuetext={`odds ratio ${number(chosen.odds)}`} onInput={(event) => set({odds: Number((50 ** Number(event.currentTarget.value)).toPrecision(3))})} /></label>}
        </form>
        <Drawing {...chosen} />
      </div>
      <div class={seen.loading ? 'stale pad' : 'pad'} aria-busy={Boolean(seen.loading)}>
        {seen.error && <RefusalBox error={seen.error} />}
        {seen.value && <Effect {...seen.value} epsilon={epsilon} />}
      </div>
    </div>
  );
}

function Effect({there, compared, curve, epsilon}) {
  const scale = (name) => real(compared.methods.find((m) => m.name === name)?.scale ?? null);
  const times = scale('kith') / scale('laplace');
  const here = {plain: real(there.plain), dependent: real(there.dependent)};
  const bars = compared.methods.filter((m) => Number.isFinite(real(m.scale))).map((m) => ({name: m.name, value: real(m.scale)}));
  return (
    <>
      <p id="effect" role="status">For a dependent loss of {left(epsilon)}, a plain loss of <strong>{left(here.plain)}</strong> may be spent: g({left(here.plain)}) = {loss(here.dependent)}, by the bound “{there.bound}”. The noise of a count is <strong>{number(times)} times</strong> what it would be if nobody depended on anybody.</p>
      <p class="legend"><span class="key dependent">g: with dependence</span> <span class="key plain">without</span></p>
      <TransferChart curve={curve} here={here} />
      <h3>Noise of one count, by method</h3>
      <BarChart bars={bars} text={number} label="scale of the noise" title="Scale of the noise of one count, by method; the table has the same numbers" />
      <Scroll label="Methods">
        <table>
          <thead><tr><th scope="col">Method</th><th scope="col">Scale</th><th scope="col">Private under</th></tr></thead>
          <tbody>{compared.methods.map((m) => <tr key={m.name}><th scope="row">{m.name}</th><td class="num">{number(m.scale)}</td><td class="wrap">{m.private_under}</td></tr>)}</tbody>
        </table>
      </Scroll>
      <p class="hint">{sentence(there.assumption)}</p>
    </>
  );
}

/** The model, with ties as thick as they are strong. */
function Drawing({kind, size, odds, stay}) {
  const strength = kind === 'chain' ? (stay - 0.5) / 0.48 : Math.log(odds) / Math.log(50);
  const thick = 0.6 + 5 * strength;
  const {nodes, edges, words} = kind === 'group' ? group(size) : kind === 'field' ? star(size) : chain(size);
  return (
    <figure>
      <svg class="drawing" viewBox="0 0 320 220" role="img" aria-label={words}>
        {edges.map(([a, b], i) => <line key={i} x1={nodes[a].x} y1={nodes[a].y} x2={nodes[b].x} y2={nodes[b].y} stroke-width={thick} />)}
        {nodes.map((n, i) => <circle key={i} cx={n.x} cy={n.y} r={n.r ?? 11} class={i === 0 ? 'me' : ''} />)}
        {nodes.map((n, i) => n.text && <text key={i} x={n.x} y={n.y + 4}>{n.text}</text>)}
      </svg>
      <figcaption class="hint">{words}</figcaption>
    </figure>
  );
}

const around = (count, x, y, radius, turn = -Math.PI / 2) => Array.from({length: count}, (_, i) => ({
  x: x + radius * Math.cos(turn + (2 * Math.PI * i) / count), y: y + radius * Math.sin(turn + (2 * Math.PI * i) / count)}));

function group(size) {
  const nodes = around(size, 160, 110, 78);
  nodes[0].text = '?';
  const edges = nodes.flatMap((_, a) => nodes.slice(a + 1).map((_n, k) => [a, a + 1 + k]));
  return {nodes, edges, words: `A group of ${size}: what one member has says something about every other member. Groups do not say anything about each other.`};
}

function star(size) {
  const nodes = [{x: 160, y: 110, r: 14, text: '?'}, ...around(size, 160, 110, 84)];
  return {nodes, edges: nodes.slice(1).map((_, i) => [0, i + 1]), words: `Somebody with ${size} ${size === 1 ? 'friend' : 'friends'}: each tie says something about the person in the middle.`};
}

function chain(size) {
  const shown = Math.min(size, 9);
  const middle = Math.floor(shown / 2);
  const places = Array.from({length: shown}, (_, i) => ({x: 24 + (272 * i) / Math.max(1, shown - 1), y: 110 + 18 * Math.sin(i * 1.3)}));
  places[middle].text = '?';
  places[middle].r = 13;
  const nodes = [places[middle], ...places.filter((_, i) => i !== middle)];
  const at = (i) => nodes.indexOf(places[i]);
  return {nodes, edges: places.slice(1).map((_, i) => [at(i), at(i + 1)]), words: `A chain of ${size} moments${size > shown ? ` (${shown} are drawn)` : ''}: each depends on the one before.`};
}

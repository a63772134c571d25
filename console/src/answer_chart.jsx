// The chart of an answer: dots with bars, a curve with its band, a curve in steps, or a heat table, by what the answer is.
import * as Plot from '@observablehq/plot';
import {Chart, shorten, style} from './chart.jsx';
import {number, real} from './format.js';

const most = {dots: 80, series: 6, cells: 40};

/** What an analysis found, drawn as what it is; everything else as dots or a curve. */
const kindOf = ({answer, details}) => (details?.analysis === 'cumulative' || details?.survival ? 'steps' : answer.columns.slice(-3).join() === 'n,expected,residual' ? 'heat' : '');

/** The columns of an answer that are numbers with bars or intervals, those that name the rows, and where the ends of an interval are columns of their own: behind its number. */
export function columnsOf(answer) {
  const {columns, rows} = answer.answer;
  const ends = {};
  columns.forEach((name, i) => {
    const end = /^low_95(_all)?$/.exec(name);
    if (end && i > 0 && columns[i + 1] === `high_95${end[1] ?? ''}`) ends[i - 1] = {low: i, high: i + 1, whole: Boolean(end[1])};
  });
  const taken = new Set(Object.values(ends).flatMap(({low, high}) => [low, high]));
  const noisy = [], names = [];
  columns.forEach((name, i) => {
    const bar = i in ends || rows.some((_row, r) => (answer.error_95?.[r]?.[i] ?? null) !== null || (answer.interval_95?.[r]?.[i] ?? null) !== null);
    if (bar && rows.some((row) => typeof row[i] === 'number')) noisy.push(i);
    else if (!bar && !taken.has(i) && !(kindOf(answer) === 'heat' && i > columns.length - 3)) names.push(i);
  });
  noisy.sort((a, b) => (b in ends) - (a in ends) || a - b);  // what was asked for comes first
  return {noisy, names, ends};
}

const nameOf = (value) => (value === null ? 'NULL' : String(value));

/** One number per row: value, ends of the bar, and whether it is noise alone. The last name is its place where it is a number. */
export function points(answer, column) {
  const {rows} = answer.answer;
  const {names, ends} = columnsOf(answer);
  return rows.map((row, r) => {
    const value = real(row[column]);
    const bar = real(answer.error_95?.[r]?.[column] ?? null);
    const given = answer.interval_95?.[r]?.[column];
    const [low, high] = ends[column] ? [real(row[ends[column].low]), real(row[ends[column].high])] : given ? [real(given.low), real(given.high)] : [value - bar, value + bar];
    const last = names.at(-1);
    return {
      names: names.map((i) => nameOf(row[i])), name: names.map((i) => nameOf(row[i])).join(' · ') || 'all', of: names.slice(0, -1).map((i) => nameOf(row[i])).join(' · '),
      place: typeof row[last] === 'number' ? row[last] : null, value, low, high, noise: answer.only_noise?.[r]?.[column] ?? false, row,
    };
  }).filter((p) => Number.isFinite(p.value));
}

export function AnswerChart({answer, column, onReady}) {
  const kind = kindOf(answer);
  const {names, ends} = columnsOf(answer);
  const all = points(answer, column);
  const {columns} = answer.answer;
  const band = ends[column]?.whole ? 'with the 95 % band of the whole curve' : ends[column] || answer.interval_95?.some((row) => row?.[column]) ? 'with its 95 % interval' : 'with the 95 % error bar';
  const title = `${columns[column]}, ${band}`;
  if (kind === 'heat' && new Set(all.map((p) => p.names.at(-1))).size <= most.cells) {
    const by = names.map((i) => columns[i]);
    return (
      <>
        <Chart label={`${columns[column]} by ${by.join(' and ')}, and how far it is from what independence gives; the table has the same numbers`} draw={(width) => drawHeat(all, by, width)} deps={[answer, column]} onReady={onReady} />
        <p class="legend"><span class="key more">more than if the columns had nothing to do with each other</span> <span class="key less">fewer</span> <span class="hint">the darker, the larger the residual: full colour from 3 on</span></p>
      </>
    );
  }
  const groups = [...new Set(all.map((p) => p.of))];
  const curve = all.every((p) => p.place !== null) && ((kind === 'steps' && Object.keys(ends).length > 0) || (names.length === 1 && all.length > 6));
  const shown = curve ? all.filter((p) => groups.indexOf(p.of) < most.series) : all.slice(0, most.dots);
  const steps = kind === 'steps' && column in ends;
  const series = groups.slice(0, most.series).map((name) => ({name, points: shown.filter((p) => p.of === name)}));
  if (steps) for (const each of series) each.points.unshift(origin(answer, each.points));
  const draw = (width) => (curve ? drawCurves(series, {x: columns[names.at(-1)], title, steps}, width) : drawDots(shown, title, width));
  return (
    <>
      <Chart label={`${title}; the table has the same numbers`} draw={draw} deps={[answer, column]} onReady={onReady} />
      {all.length > shown.length && <p class="hint">The chart shows the first {shown.length} rows of {number(all.length)}.</p>}
    </>
  );
}

/** Where a curve in steps begins: nobody is counted below the lower bound, and all survive until the first step. */
function origin(answer, [first]) {
  const all = answer.details.survival ? 1 : 0;
  return {...first, begins: true, place: Math.min(real(answer.details.lower ?? 0), first?.place ?? 0), value: all, low: all, high: all};
}

const finite = (p) => Number.isFinite(p.low) && Number.isFinite(p.high);
const tip = (p) => `${p.name}\n${number(p.value)}${finite(p) ? `\n95 %: ${number(p.low)} to ${number(p.high)}` : ''}`;

function drawDots(shown, title, width) {
  const longest = Math.max(...shown.map((p) => p.name.length), 3);
  const marginLeft = Math.min(width * 0.4, 22 + longest * 6.6);
  return Plot.plot({
    width, style, marginLeft, marginRight: 18, marginBottom: 34,
    height: Math.max(96, 56 + shown.length * 26),
    x: {label: title, nice: true, grid: true, ticks: Math.max(2, Math.round(width / 110)), tickFormat: number},
    y: {label: null, domain: shown.map((_, i) => i), tickFormat: (i) => shorten(shown[i].name, Math.floor(marginLeft / 6.6)), tickSize: 0},
    marks: [
      Plot.ruleX([0], {className: 'chart-zero'}),
      Plot.ruleY(shown.filter(finite), {y: (p) => shown.indexOf(p), x1: 'low', x2: 'high', className: 'chart-bar'}),
      Plot.tickX(shown.filter(finite), {y: (p) => shown.indexOf(p), x: 'low', insetTop: 8, insetBottom: 8, className: 'chart-bar'}),
      Plot.tickX(shown.filter(finite), {y: (p) => shown.indexOf(p), x: 'high', insetTop: 8, insetBottom: 8, className: 'chart-bar'}),
      Plot.dot(shown.filter((p) => !p.noise), {y: (p) => shown.indexOf(p), x: 'value', r: 4.5, className: 'chart-dot', title: tip}),
      Plot.dot(shown.filter((p) => p.noise), {y: (p) => shown.indexOf(p), x: 'value', r: 4, className: 'chart-noise', title: tip}),
    ],
  });
}

/** One curve with its band for each series: [{name, points}]. `steps`: a value holds until the next. */
function drawCurves(series, {x, title, steps}, width) {
  const curve = steps ? 'step-after' : 'linear';
  const several = series.length > 1;
  const all = series.flatMap((s) => s.points);
  const height = Math.min(380, 180 + width / 4);
  const [top, bottom] = [28, 36];
  const reach = all.flatMap((p) => (finite(p) ? [p.low, p.high, p.value] : [p.value]));
  const [low, high] = [Math.min(0, ...reach), Math.max(...reach, Math.min(0, ...reach) + 1e-9)];
  // Names stand where their curves end, apart from each other.
  const apart = (17 * (high - low)) / (height - top - bottom);
  const labels = several ? series.map((s, i) => ({i, name: s.name, place: s.points.at(-1).place, value: s.points.at(-1).value})).sort((a, b) => b.value - a.value) : [];
  labels.forEach((label, k) => { if (k > 0) label.value = Math.min(label.value, labels[k - 1].value - apart); });
  const end = Math.max(...all.map((p) => p.place));
  const longest = Math.min(18, Math.max(...series.map((s) => s.name.length)));
  return Plot.plot({
    width, style, height, marginTop: top, marginLeft: 56, marginBottom: bottom, marginRight: several ? 30 + longest * 7 : 20,
    x: {label: x, tickFormat: number, ticks: Math.max(2, Math.round(width / 90))},
    y: {label: title, grid: true, tickFormat: number, domain: [low, high], nice: !several},
    marks: series.flatMap((s, i) => [
      Plot.areaY(s.points.filter(finite), {x: 'place', y1: 'low', y2: 'high', curve, className: `chart-band series-${i}`}),
      Plot.lineY(s.points, {x: 'place', y: 'value', curve, className: `chart-line series-${i}`}),
      Plot.dot(s.points.filter((p) => !p.begins), {x: 'place', y: 'value', r: all.length > 60 ? 1.6 : 2.5, className: `chart-point series-${i}`, title: tip}),
    ]).concat(labels.flatMap((label) => [
      Plot.dot([label], {x: () => end, y: 'value', dx: 12, r: 4, className: `chart-point series-${label.i}`}),
      Plot.text([label], {x: () => end, y: 'value', dx: 20, textAnchor: 'start', text: () => shorten(label.name, 18), className: 'chart-text'}),
    ])),
  });
}

/** Counts of two columns, each cell as dark as its residual is large: beyond 3 it stands out. */
function drawHeat(all, [rows, columns], width) {
  const down = [...new Set(all.map((p) => p.names[0]))], across = [...new Set(all.map((p) => p.names[1]))];
  const marginLeft = Math.min(width * 0.35, 26 + Math.max(...down.map((name) => name.length), rows.length) * 7);
  const cell = (width - marginLeft - 10) / across.length;
  const residual = (p) => real(p.row.at(-1));
  const shade = (p) => { const r = residual(p); return Number.isFinite(r) ? Math.sign(r) * Math.min(3, Math.floor(Math.abs(r))) : 0; };
  const signed = (r) => (Number.isFinite(r) ? `${r > 0 ? '+' : ''}${number(r)}` : '–');
  const words = (p) => (cell < 46 ? '' : cell < 92 ? `${number(p.value)}\n${signed(residual(p))}` : `${number(p.value)} ± ${number(p.high - p.value)}\nresidual ${signed(residual(p))}`);
  const place = {x: (p) => p.names[1], y: (p) => p.names[0]};
  return Plot.plot({
    width, style, marginLeft, marginTop: 40, marginBottom: 8, height: 52 + down.length * 46,
    x: {label: columns, domain: across, axis: 'top', padding: 0.02, tickSize: 0, tickFormat: (name) => shorten(name, Math.max(3, Math.floor(cell / 7)))},
    y: {label: rows, labelAnchor: 'top', labelArrow: 'none', domain: down, padding: 0.04, tickSize: 0, tickFormat: (name) => shorten(name, Math.floor(marginLeft / 7))},
    marks: [-3, -2, -1, 0, 1, 2, 3].flatMap((level) => {
      const some = all.filter((p) => shade(p) === level || (level === 0 && Object.is(shade(p), -0)));
      const name = `${level < 0 ? 'less' : level > 0 ? 'more' : 'as'}-${Math.abs(level)}`;
      return [
        Plot.cell(some, {...place, inset: 1, className: `heat heat-${name}`, title: (p) => `${p.name}\n${tip(p).split('\n').slice(1).join('\n')}\nexpected: ${number(p.row.at(-2))}\nresidual: ${signed(residual(p))}`}),
        Plot.text(some, {...place, text: words, lineHeight: 1.25, className: `heat-text heat-text-${Math.abs(level)}`}),
      ];
    }),
  });
}

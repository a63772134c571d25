// Charts with error bars. Beside each there is always a table with the same numbers: charts are pictures for those who see them.
import * as Plot from '@observablehq/plot';
import {useEffect} from 'preact/hooks';
import {useWidth} from './hooks.js';
import {loss, number} from './format.js';

/** Draws what `draw(width)` returns, again whenever the width or `deps` change. `onReady` gets the SVG, for a download. */
export function Chart({label, draw, deps, onReady}) {
  const [ref, width] = useWidth();
  useEffect(() => {
    if (!ref.current || width < 40) return;
    const svg = draw(Math.min(width, 860));
    for (const part of svg.querySelectorAll('[aria-label], [aria-description]')) {
      part.removeAttribute('aria-label');
      part.removeAttribute('aria-description');
    }
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', label);
    ref.current.replaceChildren(svg);
    onReady?.(svg);
  }, [width, label, ...deps]);
  return <div class="chart" ref={ref} />;
}

export const style = {fontFamily: 'inherit', fontSize: '12px', background: 'none', color: 'inherit'};

// Questions differ at their ends more than in the middle.
export const shorten = (text, most) => (text.length > most ? `${text.slice(0, Math.max(2, Math.floor(most * 0.3)))}…${text.slice(-Math.max(2, Math.floor(most * 0.6)))}` : text);

/** Steps of what was spent, in both losses, with their limits. `steps`: [{number, plain, dependent}]. */
export function BudgetChart({steps, plainLimit, dependentLimit}) {
  const draw = (width) => {
    const end = steps.length ? steps.at(-1).number : 0;
    const start = {number: 0, plain: 0, dependent: 0};
    const last = steps.length ? [{...steps.at(-1), number: end + 1}] : [];
    const all = [start, ...steps, ...last];
    const known = all.filter((s) => s.dependent !== null);
    const dots = steps.filter((s) => s.dependent !== null);
    return Plot.plot({
      width, style, height: 260, marginLeft: 48, marginRight: 84, marginBottom: 36,
      x: {label: 'answer', domain: [0, end + 1], ticks: Math.min(end + 1, Math.max(2, Math.round(width / 70))), tickFormat: (d) => (Number.isInteger(d) && d > 0 && d <= end ? String(d) : '')},
      y: {label: 'loss', grid: true, zero: true, nice: true, tickFormat: number},
      marks: [
        Number.isFinite(dependentLimit) && Plot.ruleY([dependentLimit], {className: 'chart-limit'}),
        Number.isFinite(dependentLimit) && Plot.text([dependentLimit], {y: (d) => d, text: () => 'limit', frameAnchor: 'right', dx: 34, className: 'chart-limit-text'}),
        Number.isFinite(plainLimit) && plainLimit !== dependentLimit && Plot.ruleY([plainLimit], {className: 'chart-limit-plain'}),
        Number.isFinite(plainLimit) && plainLimit !== dependentLimit && Plot.text([plainLimit], {y: (d) => d, text: () => 'plain limit', frameAnchor: 'right', dx: 64, className: 'chart-plain-text'}),
        Plot.lineY(known, {x: 'number', y: 'dependent', curve: 'step-after', className: 'chart-line'}),
        Plot.lineY(all, {x: 'number', y: 'plain', curve: 'step-after', className: 'chart-line-plain'}),
        Plot.dot(dots, {x: 'number', y: 'dependent', r: 3, className: 'chart-dot', title: (s) => `answer ${s.number}: dependent loss ${loss(s.dependent)}`}),
        Plot.dot(steps, {x: 'number', y: 'plain', r: 3, className: 'chart-dot-plain', title: (s) => `answer ${s.number}: plain loss ${loss(s.plain)}`}),
      ],
    });
  };
  return <Chart label="Losses after each answer; the table below has the answers" draw={draw} deps={[steps, plainLimit, dependentLimit]} />;
}

/** Horizontal bars that can be compared: [{name, value, beside}]. `beside` is drawn as a tick, `text` writes a value: losses are rounded up. */
export function BarChart({bars, label, title, text}) {
  const draw = (width) => {
    const marginLeft = Math.min(width * 0.45, 22 + Math.max(...bars.map((b) => b.name.length), 3) * 6.6);
    const y = (b) => bars.indexOf(b);
    // A number stands behind its bar, or behind the tick where that would cross it.
    const longest = Math.max(...bars.map((b) => Math.max(b.value, Number.isFinite(b.beside) ? b.beside : 0)));
    const place = (b) => (b.beside >= b.value && (b.beside - b.value) / longest * (width - marginLeft - 70) < 56 ? b.beside : b.value);
    return Plot.plot({
      width, style, marginLeft, marginRight: 70, marginBottom: 34, height: 56 + bars.length * 30,
      x: {label, nice: true, grid: true, zero: true, ticks: Math.max(2, Math.round(width / 130)), tickFormat: number},
      y: {label: null, domain: bars.map((_, i) => i), tickFormat: (i) => shorten(bars[i].name, Math.floor(marginLeft / 6.6)), tickSize: 0, padding: 0.3},
      marks: [
        Plot.barX(bars, {y, x: 'value', className: 'chart-fill', title: (b) => `${b.name}: ${text(b.value)}`}),
        Plot.tickX(bars.filter((b) => Number.isFinite(b.beside)), {y, x: 'beside', className: 'chart-beside'}),
        Plot.text(bars, {y, x: place, text: (b) => text(b.value), textAnchor: 'start', dx: 5, className: 'chart-text'}),
        Plot.ruleX([0], {className: 'chart-zero'}),
      ],
    });
  };
  return <Chart label={title} draw={draw} deps={[bars, label]} />;
}

/** The transfer function: dependent loss for each plain loss, beside no dependence at all. */
export function TransferChart({curve, here}) {
  const draw = (width) => Plot.plot({
    width, style, height: 280, marginLeft: 48, marginBottom: 36, marginRight: 24,
    x: {label: 'plain loss', tickFormat: number, ticks: Math.max(2, Math.round(width / 90))},
    y: {label: 'dependent loss g', grid: true, tickFormat: number, nice: true},
    marks: [
      Plot.line(curve, {x: 'plain', y: 'plain', className: 'chart-line-plain'}),
      Plot.line(curve, {x: 'plain', y: 'dependent', className: 'chart-line'}),
      here && Plot.dot([here], {x: 'plain', y: 'dependent', r: 5, className: 'chart-dot'}),
    ],
  });
  return <Chart label="Transfer function; the sentence above gives the point that is marked" draw={draw} deps={[curve, here]} />;
}

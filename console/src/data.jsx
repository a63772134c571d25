// What there is to ask about: tables, columns, declared values, bounds and public facts; from the policy alone.
import {number} from './format.js';
import {Guarantee, Scroll} from './parts.jsx';

export function DataView({columns, budget}) {
  return (
    <>
      <h2>Data</h2>
      <p>Everything here comes from the policy. Values and bounds are declared, not read from the data.</p>
      <ColumnList columns={columns} />
      {budget.value && (
        <section>
          <h3>What is promised</h3>
          <Guarantee of={budget.value.guarantee} />
        </section>
      )}
    </>
  );
}

export function ColumnList({columns, brief}) {
  return columns.tables.map((table) => (brief ? <Brief key={table.name} table={table} /> : <Full key={table.name} table={table} />));
}

const limits = (c) => (c.values
  ? c.values.map(String).join(', ')
  : c.lower !== undefined ? `${bound(c.lower)} to ${bound(c.upper)}` : '');
const bound = (v) => (typeof v === 'number' ? number(v) : String(v));

function Full({table}) {
  return (
    <section>
      <h3>{table.name}{table.public && <span class="tag">public</span>}</h3>
      <p class="hint">{table.about.charAt(0).toUpperCase() + table.about.slice(1)}.</p>
      <Scroll label={`Columns of ${table.name}`}>
        <table>
          <thead><tr><th scope="col">Column</th><th scope="col">Type</th><th scope="col">Declared values or bounds</th><th scope="col">May be used to</th><th scope="col">Known</th></tr></thead>
          <tbody>{table.columns.map((c) => (
            <tr key={c.name}>
              <th scope="row"><code>{c.name}</code></th>
              <td>{c.type}</td>
              <td class="wrap">{limits(c) || <span class="hint">none</span>}</td>
              <td class="wrap">{c.may_ask.join(', ')}</td>
              <td class="wrap">{[c.public ? 'public' : 'secret', c.required && 'never NULL', c.constant && 'never changes', c.per_row && 'per row'].filter(Boolean).join(', ')}</td>
            </tr>
          ))}</tbody>
        </table>
      </Scroll>
    </section>
  );
}

function Brief({table}) {
  return (
    <section class="brief">
      <h3><code>{table.name}</code></h3>
      <dl>{table.columns.map((c) => (
        <div key={c.name}>
          <dt><code>{c.name}</code> <span class="hint">{c.type}</span>{c.public && <span class="tag">public</span>}</dt>
          <dd>{limits(c)}</dd>
        </div>
      ))}</dl>
    </section>
  );
}

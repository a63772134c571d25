// Words of a question: for colours and for completion. What may be asked is decided by the server alone.

export const keywords = ['SELECT', 'FROM', 'WHERE', 'GROUP BY', 'ORDER BY', 'HAVING', 'LIMIT', 'AS', 'AND', 'OR', 'NOT', 'IN',
  'BETWEEN', 'IS NULL', 'IS NOT NULL', 'CASE', 'WHEN', 'THEN', 'ELSE', 'END', 'DISTINCT', 'FILTER', 'WITH', 'JOIN', 'ON', 'USING', 'DESC', 'ASC'];
export const functions = ['count(*)', 'count(', 'sum(', 'avg(', 'median(', 'quantile(', 'stddev(', 'variance(', 'min(', 'max('];

const keyword = new Set([...keywords.flatMap((k) => k.split(' ')), 'LEFT', 'INNER', 'LIKE', 'NULL', 'TRUE', 'FALSE', 'BY', 'OVER', 'UNION', 'EXISTS', 'CAST', 'DATE', 'INTERVAL']);
const token = /(--[^\n]*)|('(?:[^']|'')*'?)|("(?:[^"]|"")*"?)|(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|([A-Za-z_][A-Za-z_0-9]*)|(\s+)|(.)/giy;

/** [{kind, text}] whose texts together are the question. */
export function colour(text, names) {
  const parts = [];
  token.lastIndex = 0;
  for (let found = token.exec(text); found && found[0] !== ''; found = token.exec(text)) {
    const [whole, comment, quoted, name, digits, word] = found;
    let kind = '';
    if (comment) kind = 'comment';
    else if (quoted) kind = 'text';
    else if (digits) kind = 'number';
    else if (name || (word && names.has(word.toLowerCase()))) kind = 'name';
    else if (word && keyword.has(word.toUpperCase())) kind = 'keyword';
    else if (word && text[token.lastIndex] === '(') kind = 'function';
    parts.push({kind, text: whole});
  }
  return parts;
}

/** Names of tables and columns, in lower case. */
export const namesOf = (columns) => new Set((columns?.tables ?? []).flatMap((t) => [t.name, ...t.columns.map((c) => c.name)]).map((n) => n.toLowerCase()));

/** What could stand at the cursor: {from, choices: [{text, about}]}. Nothing inside comments; declared values inside quotes. */
export function complete(text, cursor, columns) {
  const before = text.slice(0, cursor);
  if (/--[^\n]*$/.test(before)) return {from: cursor, choices: []};
  const quotes = (before.match(/'/g) ?? []).length;
  if (quotes % 2 === 1) return values(before, columns);
  const prefix = /[A-Za-z_][A-Za-z_0-9]*$/.exec(before)?.[0] ?? '';
  const low = prefix.toLowerCase();
  const choices = [];
  for (const table of columns?.tables ?? []) {
    for (const column of table.columns) choices.push({text: column.name, about: `column, ${column.type}${column.public ? ', public' : ''}`});
    choices.push({text: table.name, about: 'table'});
  }
  for (const name of functions) choices.push({text: name, about: 'function'});
  for (const name of keywords) choices.push({text: name, about: 'keyword'});
  const seen = new Set();
  const fitting = choices.filter((c) => c.text.toLowerCase().startsWith(low) && c.text.toLowerCase() !== low && !seen.has(c.text) && seen.add(c.text));
  return {from: cursor - prefix.length, choices: fitting.slice(0, 8)};
}

function values(before, columns) {
  const open = before.lastIndexOf("'") + 1;
  const typed = before.slice(open).toLowerCase();
  const column = /([A-Za-z_][A-Za-z_0-9]*)\s*(?:=|<>|!=|IN\s*\((?:\s*'[^']*'\s*,)*)\s*'[^']*$/i.exec(before)?.[1]?.toLowerCase();
  const found = (columns?.tables ?? []).flatMap((t) => t.columns).filter((c) => c.values && (!column || c.name.toLowerCase() === column));
  const choices = found.flatMap((c) => c.values.filter((v) => String(v).toLowerCase().startsWith(typed)).map((v) => ({text: String(v).replaceAll("'", "''"), about: `value of ${c.name}`})));
  return {from: open, choices: choices.slice(0, 8)};
}

// Every request that the page makes, and nothing else: bodies and answers are the documents of docs/schema.
// A failure is always a Refusal, whether the server said no or could not be reached.

export class Refusal extends Error {
  /** @param {{code: string, what: string, where?: string, next?: string, parameter?: string}} said */
  constructor(said, status) {
    super(said.what);
    this.said = said;
    this.status = status;
  }
}

// The token lives in this tab alone and goes with every request. Whoever logs in with a password has a cookie instead, which
// no script can read and which is sent to this site alone; what changes something then brings a key that the server told this page.
const key = 'kith.token';
let token = '';
try {
  token = sessionStorage.getItem(key) ?? '';
} catch {
  token = '';
}
let csrf = '';
let whenLoggedOut = () => {};

function keep(value) {
  token = value;
  try {
    if (value) sessionStorage.setItem(key, value);
    else sessionStorage.clear();
  } catch {
    // Storage may be forbidden: then a reload asks for the token again.
  }
}

/** Is called when the server no longer accepts the token. */
export function onLoggedOut(what) {
  whenLoggedOut = what;
}

async function call(method, path, body, signal) {
  const headers = {Accept: 'application/json'};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (token) headers.Authorization = `Bearer ${token}`;
  else if (csrf && method !== 'GET') headers['X-Kith-CSRF'] = csrf;
  let response;
  try {
    response = await fetch(path, {method, headers, signal, credentials: 'same-origin', cache: 'no-store',
      body: body === undefined ? undefined : JSON.stringify(body)});
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Refusal({code: 'unreachable', what: 'the server cannot be reached',
      next: 'see whether it runs and whether you are connected; nothing that was answered is lost'}, 0);
  }
  const text = await response.text();
  let document = null;
  try {
    document = text === '' ? null : JSON.parse(text);
  } catch {
    document = null;
  }
  if (response.ok) return document;
  if (response.status === 401) {
    keep('');
    csrf = '';
    whenLoggedOut();
  }
  throw new Refusal(document?.error ?? {code: 'unreadable',
    what: `the server answered with status ${response.status} and no explanation`, next: 'try again, or ask whoever runs it'},
  response.status);
}

const known = (me) => {
  csrf = me.csrf ?? '';
  return me;
};

const of = (dataset, rest) => `/v1/datasets/${encodeURIComponent(dataset)}/${rest}`;

// An analysis as the server's own description says it, with its options in their order.
const analysisOf = ({title, description, properties, 'x-needs': needs}) => ({
  name: properties.analysis.const, title, about: description, needs,
  options: properties.options['x-order'].map((name) => ({name, needed: properties.options.required.includes(name), ...properties.options.properties[name]})),
});

// Names of users have no character that an address would change: letters, digits, '.', '_', '-' and '@'.
const person = (name, rest = '') => `/v1/users/${name}${rest}`;

export const api = {
  me: () => call('GET', '/v1/me').then(known),
  logIn: (secret) => {
    keep(secret);
    return call('GET', '/v1/me').then(known);
  },
  logInByPassword: (name, password) => call('POST', '/v1/session', {name, password}).then(known),
  logOut: async () => {
    const session = csrf && !token;
    keep('');
    if (session) await call('DELETE', '/v1/session').catch(() => {});
    csrf = '';
  },
  datasets: () => call('GET', '/v1/datasets').then((found) => found.datasets),
  columns: (dataset) => call('GET', `/v1/datasets/${encodeURIComponent(dataset)}`),
  budget: (dataset) => call('GET', of(dataset, 'budget')),
  /** The charges that follow the one with this number, in this order: {history, more}. */
  history: (dataset, order, after = 0, limit = 1000) => call('GET', of(dataset, `history?order=${order}&after=${after}&limit=${limit}`)),
  /** `plain`: losses whose dependent losses are wanted. */
  dependence: (dataset, plain = [], signal = undefined) => call('GET', of(dataset, `dependence${plain.length ? `?plain=${plain.join(',')}` : ''}`), undefined, signal),
  explain: (dataset, asked, signal) => call('POST', of(dataset, 'explain'), asked, signal),
  release: (dataset, asked) => call('POST', of(dataset, 'release'), asked),
  explainPlan: (dataset, asked, signal) => call('POST', of(dataset, 'plan/explain'), asked, signal),
  releasePlan: (dataset, asked) => call('POST', of(dataset, 'plan/release'), asked),
  analyses: () => call('GET', '/v1/openapi.json').then((described) => described.components.schemas.Analysis.oneOf.map(analysisOf)),
  explainAnalysis: (dataset, asked, signal) => call('POST', of(dataset, 'analyses/explain'), asked, signal),
  analyse: (dataset, asked) => call('POST', of(dataset, 'analyses'), asked),
  jobs: () => call('GET', '/v1/jobs').then((found) => found.jobs),
  job: (id) => call('GET', `/v1/jobs/${encodeURIComponent(id)}`),
  stopJob: (id) => call('DELETE', `/v1/jobs/${encodeURIComponent(id)}`),
  certificate: (dataset, number) => call('GET', of(dataset, `history/${number}`)),
  audit: (dataset, epsilon, signal) => call('GET', of(dataset, `audit?epsilon=${epsilon}`), undefined, signal),
  transfer: (asked, signal) => call('POST', '/v1/transfer', asked, signal),
  compareNoise: (asked, signal) => call('POST', '/v1/transfer/compare', asked, signal),
  import: (dataset) => call('POST', of(dataset, 'import')),
  policy: (dataset) => call('GET', of(dataset, 'policy')),
  checkPolicy: (dataset, policy) => call('POST', of(dataset, 'policy/check'), {policy}),
  users: () => call('GET', '/v1/users'),
  usersOf: (dataset) => call('GET', of(dataset, 'users')),
  addUser: (wanted) => call('POST', '/v1/users', wanted),
  removeUser: (name) => call('DELETE', person(name)),
  addToken: (name, wanted) => call('POST', person(name, '/tokens'), wanted),
  revoke: (name, which) => call('POST', person(name, '/revoke'), which),
  grant: (name, wanted) => call('POST', person(name, '/grants'), wanted),
  approvals: (dataset) => call('GET', of(dataset, 'approvals')).then((found) => found.approvals),
  decide: (dataset, id, granted, reason) => call('POST', of(dataset, `approvals/${id}`), {granted, reason}),
};

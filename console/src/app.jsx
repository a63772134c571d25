// The frame: who is there, which dataset, which view.
import {useEffect, useRef, useState} from 'preact/hooks';
import {api, onLoggedOut} from './api.js';
import {AnalyseView} from './analyse.jsx';
import {AskView, plainLimit} from './ask.jsx';
import {AuditView} from './audit.jsx';
import {BudgetView} from './budget.jsx';
import {CuratorView} from './curator.jsx';
import {DataView} from './data.jsx';
import {DependenceView} from './dependence.jsx';
import {real} from './format.js';
import {useLoad, useTheme} from './hooks.js';
import {CapsMeter, countsMu, Loaded, Loading, Meter, RefusalBox, total} from './parts.jsx';
import {PlanView} from './plan.jsx';

const views = {
  data: {name: 'Data', show: DataView},
  ask: {name: 'Ask', show: AskView, roles: ['analyst', 'curator']},
  plan: {name: 'Plan', show: PlanView, roles: ['analyst', 'curator']},
  analyse: {name: 'Analyse', show: AnalyseView, roles: ['analyst', 'curator']},
  budget: {name: 'Budget', show: BudgetView},
  dependence: {name: 'Dependence', show: DependenceView},
  audit: {name: 'Audit', show: AuditView, roles: ['auditor', 'curator']},
  curator: {name: 'Curator', show: CuratorView, roles: ['curator']},
};

/** The views of a role. */
const open = (session) => Object.entries(views).filter(([, v]) => !v.roles || v.roles.includes(session.role));

export function App() {
  const [session, setSession] = useState(undefined);  // undefined: not known yet; null: nobody
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    onLoggedOut(() => setSession(null));
    api.me().then((me) => setSession(me.role ? me : null), (error) => {
      setProblem(error);
      setSession(null);
    });
  }, []);
  if (session === undefined) return <main><Loading /></main>;
  if (session === null) return <LogIn onDone={setSession} problem={problem} />;
  return <Console session={session} onLeave={() => setSession(null)} />;
}

function LogIn({onDone, problem}) {
  const [token, setToken] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [byPassword, setByPassword] = useState(false);
  const [error, setError] = useState(problem);
  const [busy, setBusy] = useState(false);
  const send = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const me = byPassword ? await api.logInByPassword(name.trim(), password) : await api.logIn(token.trim());
      if (me.role) return onDone(me);
      setBusy(false);
    } catch (e) {
      setError(e);
      setBusy(false);
    }
    return undefined;
  };
  return (
    <main class="login">
      <Brand />
      <h1>Log in</h1>
      <form onSubmit={send}>
        {byPassword ? (
          <>
            <label class="stack">Name
              <input name="name" autocomplete="username" required value={name} onInput={(event) => setName(event.currentTarget.value)} />
            </label>
            <label class="stack">Password
              <input type="password" name="password" autocomplete="current-password" required value={password} onInput={(event) => setPassword(event.currentTarget.value)} />
            </label>
            <p class="hint">Whoever runs the server sets passwords with <code>kith user password</code>. The session ends after half an hour without use.</p>
          </>
        ) : (
          <>
            <label class="stack">Token
              <input type="password" name="token" autocomplete="off" required value={token} onInput={(event) => setToken(event.currentTarget.value)} />
            </label>
            <p class="hint">A curator made it for you with <code>kith user</code>. It begins with <code>kith_</code>.</p>
          </>
        )}
        <p class="buttons">
          <button type="submit" class="main" disabled={busy}>Log in</button>
          <button type="button" class="quiet" onClick={() => { setByPassword(!byPassword); setError(null); }}>{byPassword ? 'Use a token' : 'Use a password'}</button>
        </p>
      </form>
      <RefusalBox error={error} title={error?.status === 401 ? (byPassword ? 'Name or password is not accepted' : 'This token is not accepted') : undefined} />
    </main>
  );
}

const Brand = () => <span class="brand"><img src="/console/icon.svg" width="24" height="24" alt="" /> kith</span>;

/** Where the page is: #/dataset/view. */
function usePlace() {
  const read = () => location.hash.replace(/^#\//, '').split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return '';
    }
  });
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const changed = () => setPlace(read());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return place;
}

const address = (dataset, view) => `#/${encodeURIComponent(dataset)}/${view}`;

function Console({session, onLeave}) {
  const datasets = useLoad(() => api.datasets(), []);
  const [wanted, view] = usePlace();
  const names = datasets.value?.map((d) => d.name) ?? [];
  const dataset = names.includes(wanted) ? wanted : names[0];
  const may = open(session).map(([key]) => key);
  const shown = [view, 'ask', 'budget'].find((key) => may.includes(key));
  const leave = async () => {
    await api.logOut();
    onLeave();
  };
  useEffect(() => {
    document.title = dataset ? `${views[shown].name} · ${dataset} · kith` : 'kith';
  }, [dataset, shown]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>Skip to the content</a>
      <header class="top">
        <Brand />
        {names.length > 0 && (
          <label class="inline">Dataset <select value={dataset} onChange={(event) => { location.hash = address(event.currentTarget.value, shown); }}>
            {names.map((name) => <option key={name}>{name}</option>)}
          </select></label>
        )}
        <span class="who">
          <ThemeSwitch />
          {session.name && <b class="name">{session.name} ({session.role})</b>}
          {session.name && <button type="button" class="quiet" onClick={leave}>Log out</button>}
        </span>
      </header>
      <Loaded state={datasets}>{() => (dataset
        ? <Dataset key={dataset} dataset={dataset} view={shown} session={session} />
        : <main id="main" tabIndex={-1}><p>No dataset is open to you. A curator grants them.</p></main>)}</Loaded>
    </>
  );
}

function ThemeSwitch() {
  const [theme, setTheme] = useTheme();
  return (
    <label class="inline"><span class="hidden">Colours</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value)}>
        <option value="system">Colours: auto</option><option value="light">Colours: light</option><option value="dark">Colours: dark</option>
      </select></label>
  );
}

/** What is used once a delta is counted: of the caps, or until they are fixed of the plain budget. */
function BudgetUsed({b, capped}) {
  if (countsMu(capped)) return <CapsMeter name="Used" capped={capped} />;
  return <Meter name="Plain loss" before={Math.max(0, ...b.cells.map((c) => real(c.plain_spent)))} limit={plainLimit(b)} about={`Dependent loss of all answers: ${total(capped.epsilon, capped)}`} />;
}

function Dataset({dataset, view, session}) {
  const columns = useLoad(() => api.columns(dataset), [dataset]);
  const budget = useLoad(() => api.budget(dataset), [dataset]);
  const View = views[view].show;
  const main = useRef(null);
  const ready = columns.value !== undefined && (budget.value !== undefined || budget.error);
  const b = budget.value;
  return (
    <>
      <nav class="views" aria-label="Views">
        {open(session).map(([key, v]) => (
          <a key={key} href={address(dataset, key)} aria-current={key === view ? 'page' : undefined}>{v.name}</a>
        ))}
        {b && <span class="left">{b.guarantee.with_delta ? <BudgetUsed b={b} capped={b.guarantee.with_delta} /> : <Meter name="Loss" before={b.guarantee.dependent ?? 'inf'} limit={b.dependent_total ?? b.epsilon_total} />}</span>}
      </nav>
      <main id="main" tabIndex={-1} ref={main}>
        <h1 class="hidden">{dataset}</h1>
        {budget.error && <RefusalBox error={budget.error} />}
        {columns.error ? <RefusalBox error={columns.error} /> : !ready ? <Loading /> : <View dataset={dataset} columns={columns.value} budget={budget} role={session.role} users={session.users} />}
      </main>
    </>
  );
}

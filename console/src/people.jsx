// People and allowances, for curators: who may ask about the dataset, what each has used, their tokens.
import {useRef, useState} from 'preact/hooks';
import {api} from './api.js';
import {left, loss, time} from './format.js';
import {useLoad} from './hooks.js';
import {Dialog, Loaded, Meter, RefusalBox, Scroll} from './parts.jsx';

const lives = [['30d', '30 days'], ['90d', '90 days'], ['365d', 'a year'], ['never', 'when it is revoked']];
const changeable = (user) => user.role === 'analyst' || user.role === 'auditor';
const grantOf = (user, dataset) => user.grants.find((g) => g.dataset === dataset);

/** What becomes of a token by itself. */
const stateOf = (token) => (token.revoked ? 'revoked' : token.expires === null ? 'does not end' : `${token.expires * 1000 < Date.now() ? 'ended' : 'until'} ${time(token.expires)}`);

export function People({dataset}) {
  const state = useLoad(() => Promise.all([api.users(), api.usersOf(dataset)]).then(([all, here]) => ({users: all.users, here: here.users})), [dataset]);
  const [open, setOpen] = useState(null);    // the name of whom is being changed; '': somebody new
  const [shown, setShown] = useState(null);  // a token, this once
  const [refused, setRefused] = useState(null);
  const change = async (work) => {
    setRefused(null);
    setShown(null);
    try {
      const made = await work();
      if (made.token) setShown(made);
      if (open === '' && made.user) setOpen(made.user);
    } catch (error) {
      setRefused(error);
    }
    state.again();
  };
  const close = () => {
    setOpen(null);
    setShown(null);
    setRefused(null);
  };
  return (
    <section><h3>People</h3><Loaded state={state}>{({users, here}) => {
      const used = new Map(here.map((u) => [u.name, u]));
      const user = users.find((u) => u.name === open);
      return (
        <>
          <Scroll label="People">
            <table class="people">
              <thead><tr><th scope="col">Name</th><th scope="col"><span class="hidden">Change</span></th><th scope="col">Role</th><th scope="col">Used of the allowance for {dataset}</th><th scope="col">Other datasets</th><th scope="col">Tokens</th></tr></thead>
              <tbody>{users.map((u) => (
                <tr key={u.name}>
                  <th scope="row">{u.name}</th>
                  <td>{changeable(u) && <button type="button" class="quiet" aria-label={`Change ${u.name}`} onClick={() => setOpen(u.name)}>Change</button>}</td>
                  <td>{u.role}</td>
                  <td>{used.get(u.name)?.allowance !== undefined ? <Meter name="Plain loss" before={used.get(u.name).spent} limit={used.get(u.name).allowance} /> : u.role === 'curator' ? 'within the policy’s budget' : grantOf(u, dataset) ? 'sees it' : '–'}</td>
                  <td class="wrap">{u.role === 'curator' ? 'all' : u.grants.filter((g) => g.dataset !== dataset).map((g) => `${g.dataset}${g.allowance === undefined ? '' : ` (${left(g.allowance)})`}`).join(', ') || '–'}</td>
                  <td class="num">{u.tokens.filter((t) => !t.revoked && (t.expires === null || t.expires * 1000 > Date.now())).length}{u.password ? ' and a password' : ''}</td>
                </tr>
              ))}</tbody>
            </table>
          </Scroll>
          <p class="buttons"><button type="button" onClick={() => setOpen('')}>Add somebody</button></p>
          <p class="hint">Allowances limit persons, and may add up to more than the budget, which counts everybody. Curators, operators and passwords are set by whoever runs the server (<code>kith user</code>).</p>
          {open !== null && (
            <Dialog title={open === '' ? 'Somebody new' : open} onClose={close}>
              <Token shown={shown} />
              <RefusalBox error={refused} />
              {open === '' ? <Newcomer dataset={dataset} onChange={change} /> : user
                ? <Person key={user.name} user={user} used={used.get(user.name)} dataset={dataset} onChange={change} />
                : <p role="status">{open} was removed. What was used under the name stays used.</p>}
            </Dialog>
          )}
        </>
      );
    }}</Loaded></section>
  );
}

function Token({shown}) {
  const field = useRef(null);
  if (!shown) return null;
  const copy = () => {
    field.current.select();
    navigator.clipboard?.writeText(shown.token).catch(() => {});
  };
  return (
    <div class="charged" role="status">
      <label class="stack"><strong>The token “{shown.name}” of {shown.user}, shown this once</strong>
        <input class="secret" ref={field} readOnly value={shown.token} onFocus={(event) => event.currentTarget.select()} /></label>
      <p class="buttons"><button type="button" class="quiet" onClick={copy}>Copy</button> Hand it over by a way that you would use for a password.</p>
    </div>
  );
}

const Life = ({value, onChange}) => (
  <label class="stack">The token ends after
    <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>{lives.map(([key, words]) => <option key={key} value={key}>{words}</option>)}</select></label>
);

const Allowance = ({value, onChange}) => (
  <label class="stack">Allowance: plain loss, over all time
    <input type="number" name="allowance" min="0" step="any" required value={value} onInput={(event) => onChange(event.currentTarget.value)} /></label>
);

const sent = (does) => (event) => {
  event.preventDefault();
  does();
};

function Newcomer({dataset, onChange}) {
  const [name, setName] = useState('');
  const [role, setRole] = useState('analyst');
  const [epsilon, setEpsilon] = useState('');
  const [expires, setExpires] = useState('90d');
  const grant = role === 'analyst' ? {dataset, epsilon: Number(epsilon)} : {dataset};
  return (
    <form class="controls" onSubmit={sent(() => onChange(() => api.addUser({name: name.trim(), role, grants: [grant], expires})))}>
      <label class="stack">Name <input name="user" autocomplete="off" required maxLength={64} value={name} onInput={(event) => setName(event.currentTarget.value)} /></label>
      <label class="stack">Role
        <select name="role" value={role} onChange={(event) => setRole(event.currentTarget.value)}><option value="analyst">analyst: asks, within an allowance</option><option value="auditor">auditor: sees budgets and histories, asks nothing</option></select></label>
      {role === 'analyst' && <Allowance value={epsilon} onChange={setEpsilon} />}
      <Life value={expires} onChange={setExpires} />
      <p class="hint">For the dataset {dataset}; others can be granted there.</p>
      <p class="buttons"><button type="submit">Add</button></p>
    </form>
  );
}

function Person({user, used, dataset, onChange}) {
  const grant = grantOf(user, dataset);
  const [epsilon, setEpsilon] = useState(grant?.allowance === undefined ? '' : String(Number(grant.allowance.toPrecision(9))));
  const [token, setToken] = useState('');
  const [expires, setExpires] = useState('90d');
  const [leaving, setLeaving] = useState(false);
  const analyst = user.role === 'analyst';
  const give = () => onChange(() => api.grant(user.name, analyst ? {dataset, epsilon: Number(epsilon)} : {dataset}));
  return (
    <>
      <p>{user.role}; here since {time(user.created)}.</p>
      <h3>{dataset}</h3>
      {used?.spent !== undefined && <p>Used so far: a plain loss of {loss(used.spent)}. It stays used whatever is granted now.</p>}
      <form class="controls" onSubmit={sent(give)}>
        {analyst && <Allowance value={epsilon} onChange={setEpsilon} />}
        <p class="buttons">
          <button type="submit">{grant ? 'Set the allowance' : 'Grant the dataset'}</button>
          {grant && <button type="button" class="quiet" onClick={() => onChange(() => api.grant(user.name, {dataset, none: true}))}>Take the grant away</button>}
        </p>
      </form>
      <h3>Tokens</h3>
      <Scroll label={`Tokens of ${user.name}`}>
        <table>
          <thead><tr><th scope="col">Name</th><th scope="col">Made</th><th scope="col">State</th><th scope="col"><span class="hidden">Revoke</span></th></tr></thead>
          <tbody>{user.tokens.map((t) => (
            <tr key={t.id}><th scope="row">{t.name}</th><td>{time(t.created)}</td><td>{stateOf(t)}</td>
              <td>{!t.revoked && <button type="button" class="quiet" aria-label={`Revoke ${t.name}`} onClick={() => onChange(() => api.revoke(user.name, {token: t.name}))}>Revoke</button>}</td></tr>
          ))}</tbody>
        </table>
      </Scroll>
      <form class="controls" onSubmit={sent(() => onChange(() => api.addToken(user.name, {token: token.trim(), expires})))}>
        <label class="stack">A new token, by name <input name="token-name" autocomplete="off" required maxLength={64} value={token} onInput={(event) => setToken(event.currentTarget.value)} /></label>
        <Life value={expires} onChange={setExpires} />
        <p class="buttons"><button type="submit">Make it</button>
          <button type="button" class="quiet" onClick={() => onChange(() => api.revoke(user.name, {}))}>Revoke all, and end all sessions</button></p>
      </form>
      <h3>Remove</h3>
      {leaving
        ? <p class="buttons"><button type="button" onClick={() => onChange(() => api.removeUser(user.name))}>Yes, remove {user.name}</button><button type="button" class="quiet" onClick={() => setLeaving(false)}>No</button></p>
        : <p class="buttons"><button type="button" class="quiet" onClick={() => setLeaving(true)}>Remove {user.name}</button> with tokens, sessions and grants. Do not give the name to somebody else.</p>}
    </>
  );
}

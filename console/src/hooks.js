// What the parts of the page share: loading, waiting until somebody stops typing, the theme.
import {useEffect, useRef, useState} from 'preact/hooks';

/** Loads when `deps` change; `again` loads once more. An answer that comes too late is dropped. */
export function useLoad(load, deps) {
  const [state, setState] = useState({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let over = false;
    const stop = new AbortController();
    setState((old) => ({...old, loading: true}));
    Promise.resolve(load(stop.signal)).then(
      (value) => over || setState({value}),
      (error) => over || error.name === 'AbortError' || setState({error}));
    return () => {
      over = true;
      stop.abort();
    };
  }, [...deps, turn]);
  return {...state, again: () => setTurn((t) => t + 1)};
}

/** The value as it was when nothing had changed for `wait` milliseconds. */
export function useSettled(value, wait = 300) {
  const [settled, setSettled] = useState(value);
  const key = JSON.stringify(value);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return undefined;
    }
    const timer = setTimeout(() => setSettled(value), wait);
    return () => clearTimeout(timer);
  }, [key, wait]);
  return settled;
}

/** As useState, and kept for this browser tab: what somebody typed survives a look at another page. */
export function useKept(name, initial) {
  const [value, setValue] = useState(() => {
    try {
      const kept = sessionStorage.getItem(`kith.${name}`);
      return kept === null ? initial : JSON.parse(kept);
    } catch {
      return initial;
    }
  });
  useEffect(() => {
    try {
      sessionStorage.setItem(`kith.${name}`, JSON.stringify(value));
    } catch {
      // Storage may be forbidden: then nothing is kept.
    }
  }, [name, value]);
  return [value, setValue];
}

/** The width of an element, as it changes. */
export function useWidth() {
  const ref = useRef(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!ref.current) return undefined;
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return [ref, width];
}

const themes = ['system', 'light', 'dark'];

/** Which of "system", "light" and "dark", and a function that goes on to the next. */
export function useTheme() {
  const [theme, setTheme] = useState(() => {
    try {
      const kept = localStorage.getItem('kith.theme');
      return themes.includes(kept) ? kept : 'system';
    } catch {
      return 'system';
    }
  });
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem('kith.theme', theme);
    } catch {
      // As above.
    }
  }, [theme]);
  return [theme, setTheme];
}

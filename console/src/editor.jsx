// A text area for SQL: coloured by a copy that lies behind it, with completion that the keyboard can reach and never has to.
import {useId, useRef, useState} from 'preact/hooks';
import {colour, complete, namesOf} from './sql.js';

/** Ctrl+Enter calls `onSend`. Arrow keys choose a completion, Enter or Tab takes it, Escape closes the list; Ctrl+Space opens it. */
export function Editor({label, value, onInput, onSend, columns, rows = 5, describedBy}) {
  const id = useId();
  const area = useRef(null);
  const behind = useRef(null);
  const [offer, setOffer] = useState({from: 0, choices: []});
  const [active, setActive] = useState(-1);
  const close = () => {
    setOffer({from: 0, choices: []});
    setActive(-1);
  };
  const look = (always) => {
    const {value: text, selectionStart, selectionEnd} = area.current;
    if (selectionStart !== selectionEnd) return close();
    const found = complete(text, selectionStart, columns);
    if (!always && found.from === selectionStart && !/'$/.test(text.slice(0, selectionStart))) return close();
    setOffer(found);
    setActive(always && found.choices.length ? 0 : -1);
    return undefined;
  };
  const take = (choice) => {
    const {value: text, selectionStart} = area.current;
    const cursor = offer.from + choice.text.length;
    // At once, not when the page is drawn next: whoever types fast has typed on by then.
    area.current.value = text.slice(0, offer.from) + choice.text + text.slice(selectionStart);
    area.current.focus();
    area.current.setSelectionRange(cursor, cursor);
    onInput(area.current.value);
    close();
  };
  const key = (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') {
      event.preventDefault();
      close();
      onSend?.();
    } else if (event.ctrlKey && event.key === ' ') {
      event.preventDefault();
      look(true);
    } else if (!offer.choices.length) {
      return;
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setActive((active + step + offer.choices.length + (active < 0 && step < 0 ? 1 : 0)) % offer.choices.length);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      close();
    } else if ((event.key === 'Enter' || event.key === 'Tab') && active >= 0) {
      event.preventDefault();
      take(offer.choices[active]);
    }
  };
  const open = offer.choices.length > 0;
  return (
    <div class="editor">
      <label for={id}>{label}</label>
      <div class="editor-box">
        <pre ref={behind} aria-hidden="true">{colour(value, namesOf(columns)).map((part, i) => (part.kind ? <span key={i} class={`sql-${part.kind}`}>{part.text}</span> : part.text))}{'\n'}</pre>
        <textarea ref={area} id={id} rows={rows} value={value} spellcheck={false} autocapitalize="off" autocomplete="off"
          aria-autocomplete="list" aria-haspopup="listbox" aria-controls={`${id}-list`} aria-describedby={describedBy}
          aria-activedescendant={open && active >= 0 ? `${id}-${active}` : undefined}
          onInput={(event) => {
            onInput(event.currentTarget.value);
            look(false);
          }}
          onKeyDown={key} onBlur={() => setTimeout(close, 150)} onClick={close}
          onScroll={() => {
            behind.current.scrollTop = area.current.scrollTop;
            behind.current.scrollLeft = area.current.scrollLeft;
          }} />
      </div>
      <ul id={`${id}-list`} class="offer" role="listbox" aria-label="Completions" hidden={!open}>
        {offer.choices.map((choice, i) => (
          <li key={choice.text} id={`${id}-${i}`} role="option" aria-selected={i === active}
            onPointerDown={(event) => {
              event.preventDefault();
              take(choice);
            }}><code>{choice.text}</code> <span>{choice.about}</span></li>
        ))}
      </ul>
    </div>
  );
}

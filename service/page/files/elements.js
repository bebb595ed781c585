// Small helpers for the document.

export const byId = (id) => document.getElementById(id);

// element('td', { className: 'x', textContent: '1' }, child, ...)
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Shows SentencePiece's sign for a space as one that differs clearly from an underscore.
export const readable = (piece) => piece.replaceAll('▁', '␣');

// Replaces the options of a select with [value, text] pairs; keeps the choice if it still exists.
export function setOptions(select, pairs, wanted = select.value) {
  select.replaceChildren(...pairs.map(([value, textContent]) => element('option', { value, textContent })));
  const values = pairs.map(([value]) => String(value));
  if (values.includes(String(wanted))) select.value = wanted;
  select.disabled = pairs.length === 0;
}

// An empty message hides the problem.
export function showProblem(message) {
  byId('problem').hidden = !message;
  byId('problem-text').textContent = message;
}

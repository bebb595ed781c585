// Small helpers for the document.
import { say } from './words.js';

export const byId = (id) => document.getElementById(id);

// element('td', { className: 'x', textContent: '1' }, child, ...)
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Shows SentencePiece's space marker as a sign that differs clearly from an underscore.
export const readable = (piece) => piece.replaceAll('▁', '␣');

// A disabled control says why; an empty reason enables it.
export function setDisabled(control, reason) {
  control.dataset.title ??= control.title;
  control.disabled = reason !== '';
  control.title = reason || control.dataset.title;
}

// Replaces the options of a select with [value, text] pairs; keeps the choice if it still exists.
export function setOptions(select, pairs, wanted = select.value) {
  select.replaceChildren(...pairs.map(([value, textContent]) => element('option', { value, textContent })));
  const values = pairs.map(([value]) => String(value));
  if (values.includes(String(wanted))) select.value = wanted;
  setDisabled(select, pairs.length > 0 ? '' : select.dataset.empty ?? say('There is nothing to choose.'));
}

// Returns false if the browser refuses.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Over plain HTTP, browsers offer navigator.clipboard only to pages of this machine.
  }
  const field = element('textarea', { value: text, className: 'unseen', readOnly: true });
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  focused?.focus();
  return copied;
}

// An empty message hides the problem.
export function showProblem(message) {
  byId('problem').hidden = !message;
  byId('problem-text').textContent = message;
}

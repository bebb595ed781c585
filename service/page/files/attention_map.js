// Attention and position scores of one sentence as a table of coloured cells.
import { postJson } from './api.js';
import { byId, element, readable, setOptions, showProblem } from './elements.js';
import { chosen } from './languages.js';
import { say } from './words.js';

const hint = byId('map-value').textContent;

// [key, name, row name, column name, whether scores may be negative]
const kinds = [
  ['attention.cross', say('attention to the source'), 'target', 'source', false],
  ['attention.encoder', say('attention within the source'), 'source', 'source', false],
  ['attention.decoder', say('attention within the translation'), 'target', 'read', false],
  ['position.encoder', say('positions in the source'), 'source', 'source', true],
  ['position.decoder', say('positions in the translation'), 'target', 'read', true],
];

let analysis = null;
let running = null;

const layersOf = (kind) => {
  const [group, stack] = kind.split('.');
  return analysis?.[group]?.[stack] ?? [];
};

export function forgetMap() {
  running?.abort();
  running = null;
  analysis = null;
  for (const id of ['map-kind', 'map-layer', 'map-head']) setOptions(byId(id), []);
  byId('map').replaceChildren();
  byId('map-value').textContent = hint;
}

const mean = (matrices) => matrices[0].map((row, i) => row.map(
  (_, j) => matrices.reduce((sum, matrix) => sum + matrix[i][j], 0) / matrices.length));

// The matrix of the chosen layer and head; "mean" averages over all.
function chosenMatrix(layers) {
  const layer = byId('map-layer').value, head = byId('map-head').value;
  const kept = layer === 'mean' ? layers : [layers[Number(layer)]];
  return mean(kept.flatMap((heads) => (head === 'mean' ? heads : [heads[Number(head)]])));
}

function cell(row, column, value, strength, signed) {
  const shown = element('td', { tabIndex: -1 });
  const colour = signed && value < 0 ? '--cold' : '--heat';
  shown.style.background = `rgba(var(${colour}), ${strength.toFixed(3)})`;
  shown.setAttribute('aria-label', say('{row} to {column}: {value}', { row, column, value: value.toFixed(3) }));
  return shown;
}

function table(matrix, rows, columns, signed) {
  const largest = Math.max(1e-9, ...matrix.flat().map(Math.abs));
  const scale = signed ? largest : 1;
  const made = element('table', {},
    element('thead', {}, element('tr', {}, element('td'),
      ...columns.map((text) => element('th', { scope: 'col', textContent: text })))),
    element('tbody', {}, ...matrix.map((values, i) => element('tr', {},
      element('th', { scope: 'row', textContent: rows[i] }),
      ...values.map((value, j) => cell(rows[i], columns[j], value, Math.min(1, Math.abs(value) / scale), signed))))));
  made.setAttribute('role', 'grid');
  made.querySelector('thead td').setAttribute('role', 'presentation');
  const first = made.querySelector('tbody td');
  if (first) first.tabIndex = 0;
  return made;
}

function showMap() {
  const [key, name, rowSide, columnSide, signed] = kinds.find(([kind]) => kind === byId('map-kind').value);
  const source = analysis.source_tokens.map(readable);
  const target = analysis.target_tokens.map(readable);
  // The query that predicts a piece sees the pieces before it.
  const pieces = { source, target, read: ['<s>', ...target.slice(0, -1)] };
  const made = table(chosenMatrix(layersOf(key)), pieces[rowSide], pieces[columnSide], signed);
  made.setAttribute('aria-label', say('{name}, layer {layer}, head {head}', {
    name, layer: byId('map-layer').selectedOptions[0].text, head: byId('map-head').selectedOptions[0].text,
  }));
  byId('map').replaceChildren(made);
  byId('map-value').textContent = say('Point at a cell, or use the arrow keys, for its number.');
}

function updateChoices() {
  const present = kinds.filter(([kind]) => layersOf(kind).length > 0);
  setOptions(byId('map-kind'), present.map(([kind, name]) => [kind, name]));
  const layers = layersOf(byId('map-kind').value);
  const numbered = (count) => Array.from({ length: count }, (_, i) => [i, `${i + 1}`]);
  setOptions(byId('map-layer'), [['mean', say('mean')], ...numbered(layers.length)]);
  setOptions(byId('map-head'), [['mean', say('mean')], ...numbered(layers[0].length)]);
  showMap();
}

// Attention by layer and head comes from servers with LibTorch, for models with full weights.
const isImpossible = ({ status }) => status === 400 || status === 404;

// What every model gives with a translation: its attention to the source, as one layer of one head.
async function alignmentOf({ text, translation, search }, signal) {
  const { results: [{ sentences: [{ translations }] }] } = await postJson('v1/translate',
    { text, ...chosen(), ...search, split_sentences: false, alignment: 'soft' }, signal);
  const same = translations.find((one) => one.text === translation) ?? translations[0];
  const { weights, ...tokens } = same.alignment;
  return { ...tokens, attention: { cross: [[weights]] } };
}

async function analysisOf(question, signal) {
  const { text, translation } = question;
  try {
    return await postJson('v1/analyze', { ...chosen(), text, translation }, signal);
  } catch (error) {
    if (!isImpossible(error)) throw error;
    return alignmentOf(question, signal);
  }
}

async function analyse(question) {
  forgetMap();
  const own = running = new AbortController();
  byId('map-value').textContent = say('Looking…');
  try {
    analysis = await analysisOf(question, own.signal);
    showProblem('');
    updateChoices();
  } catch (error) {
    if (error.name === 'AbortError') return;
    analysis = null;
    byId('map-value').textContent = hint;
    showProblem(error.message);
  }
}

function move(event) {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const step = steps[event.key];
  const from = event.target.closest('tbody td');
  if (!step || !from) return;
  const row = from.parentElement;
  const rows = row.parentElement.rows;
  const to = rows[row.sectionRowIndex + step[0]]?.cells[from.cellIndex + step[1]];
  if (to?.tagName !== 'TD') return;
  event.preventDefault();
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

// `question` returns what to analyse: {text, translation, search}.
export function setUpMap(question) {
  byId('map-form').addEventListener('submit', (event) => {
    event.preventDefault();
    analyse(question());
  });
  byId('map-kind').addEventListener('change', updateChoices);
  for (const id of ['map-layer', 'map-head']) byId(id).addEventListener('change', showMap);
  const showValue = (event) => {
    const label = event.target.closest('tbody td')?.getAttribute('aria-label');
    if (label) byId('map-value').textContent = label;
  };
  byId('map').addEventListener('pointerover', showValue);
  byId('map').addEventListener('focusin', showValue);
  byId('map').addEventListener('keydown', move);
}

// Live translation: sends a request when typing pauses; new text cancels the previous request.
import { ServiceError, postJson } from './api.js';
import { byId, showProblem } from './elements.js';
import { chosen } from './languages.js';
import { showSentences } from './closer_look.js';

let limit = 0;       // characters per request; 0: unknown
let pause = 500;     // milliseconds after the last key
let timer = 0;
let running = null;  // AbortController of the request under way

const characters = (text) => [...text].length;

function showCount() {
  const count = characters(byId('text').value);
  byId('count').textContent = limit > 0 ? `${count} of ${limit} characters` : `${count} characters`;
  byId('clear').disabled = count === 0;
  return count;
}

function showTranslation(text, sentences) {
  byId('translation').textContent = text;
  byId('translation').classList.remove('outdated');
  byId('copy').disabled = text === '';
  showSentences(sentences);
}

async function translateNow() {
  clearTimeout(timer);
  running?.abort();
  running = null;
  const text = byId('text').value;
  const count = showCount();
  byId('status').textContent = '';
  if (text.trim() === '') {
    showProblem('');
    showTranslation('', []);
    return;
  }
  if (limit > 0 && count > limit) {
    showProblem(`The text is too long: ${count} characters; the limit is ${limit}.`);
    return;
  }
  const own = running = new AbortController();
  byId('status').textContent = 'Translating…';
  try {
    const beam = Number(byId('beam').value);
    const nbest = Math.min(beam, Number(byId('nbest').value));
    const answer = await postJson('v1/translate',
      { text, ...chosen(), beam, nbest, token_scores: true }, own.signal);
    const [result] = answer.results;
    showProblem('');
    showTranslation(result.text, result.sentences);
    byId('status').textContent = result.cut
      ? 'A sentence was too long and was cut.'
      : `${answer.usage.seconds.toFixed(2)} s`;
  } catch (error) {
    if (error.name === 'AbortError') return;
    byId('status').textContent = '';
    showProblem(error instanceof ServiceError ? error.message : `Unexpected answer: ${error.message}`);
  } finally {
    if (running === own) running = null;
  }
}

export function translateSoon() {
  clearTimeout(timer);
  showCount();
  if (byId('translation').textContent) byId('translation').classList.add('outdated');
  timer = setTimeout(translateNow, pause);
}

export function setUpTranslation(settings) {
  limit = settings.charLimit > 0 ? settings.charLimit : 0;
  pause = settings.frontendTimeout;
  showCount();
  byId('text').addEventListener('input', translateSoon);
  byId('text').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) translateNow();
  });
  for (const id of ['beam', 'nbest']) byId(id).addEventListener('change', translateNow);
  byId('clear').addEventListener('click', () => {
    byId('text').value = '';
    byId('text').focus();
    translateNow();
  });
  byId('copy').addEventListener('click', async () => {
    await navigator.clipboard.writeText(byId('translation').textContent);
    byId('status').textContent = 'Copied';
  });
  if (byId('text').value) translateNow();
}

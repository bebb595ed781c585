// Live translation: sends a request when typing pauses; new text cancels the previous request.
import { ServiceError, apiKey, postJson } from './api.js';
import { chosenSearch, showSentences } from './closer_look.js';
import { byId, copyText, setDisabled, showProblem } from './elements.js';
import { remember } from './history.js';
import { chosen, detectSource } from './languages.js';
import { store, stored } from './store.js';
import { say } from './words.js';

const textName = 'dietmt-text';

let limit = 0;       // characters per request; 0: unknown
let pause = 500;     // milliseconds after the last key
let timer = 0;
let running = null;  // AbortController of the request under way

const characters = (text) => [...text].length;

function noteText() {
  const text = byId('text').value;
  const count = characters(text);
  store('tab', textName, text);
  byId('count').textContent = limit > 0
    ? say('{count} of {limit} characters', { count, limit }) : say('{count} characters', { count });
  setDisabled(byId('clear'), count === 0 ? say('There is no text.') : '');
  return count;
}

function showTranslation(text) {
  byId('translation').textContent = text;
  byId('translation').classList.remove('outdated');
  setDisabled(byId('copy'), text === '' ? say('There is no translation.') : '');
}

// A request as a command of a shell.
function showRequest(body) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const headers = ['Content-Type: application/json', ...(apiKey() ? ['X-API-Key: KEY'] : [])];
  byId('request').textContent = [`curl ${new URL('v1/translate', document.baseURI)}`,
    ...headers.map((header) => `-H ${quoted(header)}`), `-d ${quoted(JSON.stringify(body))}`].join(' ');
}

// `languages` are those of the request; alternatives can still be chosen after the user has chosen
// others.
function showResult(result, text, languages) {
  const show = (translation) => {
    showTranslation(translation);
    remember({ ...languages, text, translation });
  };
  show(result.text);
  showSentences(result, show);
}

async function translateNow() {
  clearTimeout(timer);
  running?.abort();
  running = null;
  const text = byId('text').value;
  const count = noteText();
  byId('status').textContent = '';
  if (text.trim() === '') {
    showProblem('');
    showTranslation('');
    showSentences({ sentences: [] });
    return;
  }
  if (limit > 0 && count > limit) {
    showProblem(say('The text is too long: {count} characters; the limit is {limit}.', { count, limit }));
    return;
  }
  const own = running = new AbortController();
  byId('status').textContent = say('Translating…');
  try {
    await detectSource(text, own.signal);
    const languages = chosen();
    const body = { text, ...languages, ...chosenSearch() };
    const answer = await postJson('v1/translate', { ...body, token_scores: true }, own.signal);
    showRequest(body);
    const [result] = answer.results;
    showProblem('');
    showResult(result, text, languages);
    byId('status').textContent = result.cut
      ? say('A sentence was too long and was cut.')
      : `${answer.usage.seconds.toFixed(2)} s`;
  } catch (error) {
    if (error.name === 'AbortError') return;
    byId('status').textContent = '';
    showProblem(error instanceof ServiceError ? error.message
      : say('Unexpected answer: {message}', { message: error.message }));
  } finally {
    if (running === own) running = null;
  }
}

export function translateSoon() {
  clearTimeout(timer);
  noteText();
  if (byId('translation').textContent) byId('translation').classList.add('outdated');
  timer = setTimeout(translateNow, pause);
}

export function translateText(text) {
  byId('text').value = text;
  translateNow();
}

// A translation of text other than what is in the field would replace what the user has typed.
export function swapTexts() {
  const translation = byId('translation');
  if (translation.textContent && !translation.classList.contains('outdated')) {
    const text = byId('text').value;
    byId('text').value = translation.textContent;
    translation.textContent = text;
  }
  translateSoon();
}

export function setUpTranslation(settings) {
  limit = settings.charLimit > 0 ? settings.charLimit : 0;
  pause = settings.frontendTimeout;
  if (!byId('text').value) byId('text').value = stored('tab', textName, '');
  noteText();
  byId('text').addEventListener('input', translateSoon);
  byId('text').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) translateNow();
  });
  for (const id of ['beam', 'nbest']) byId(id).addEventListener('change', translateNow);
  byId('clear').addEventListener('click', () => {
    translateText('');
    byId('text').focus();
  });
  byId('copy').addEventListener('click', async () => {
    byId('status').textContent = await copyText(byId('translation').textContent)
      ? say('Copied') : say('The browser does not allow copying.');
  });
  if (byId('text').value) translateNow();
}

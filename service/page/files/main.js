// Starts the page: loads the settings, then sets up the parts that need them.
import { apiKey, getJson, setApiKey } from './api.js';
import { setUpMap } from './attention_map.js';
import { lookedAt, setUpCloserLook } from './closer_look.js';
import { byId, showProblem } from './elements.js';
import { setUpHistory } from './history.js';
import { refreshJobs } from './jobs.js';
import { choose, chosen, setUpLanguages } from './languages.js';
import { setUpTranslation, swapTexts, translateSoon, translateText } from './translate.js';
import { setUpUploads } from './uploads.js';

function setUpKey(settings) {
  byId('key').value = apiKey();
  byId('key-box').hidden = !settings.apiKeys;
  byId('key-box').open = settings.keyRequired && !apiKey();
  byId('key-form').addEventListener('submit', (event) => {
    event.preventDefault();
    setApiKey(byId('key').value.trim());
    byId('key-box').open = false;
    showProblem('');
    translateSoon();
    if (settings.batchJobs) refreshJobs().catch((error) => showProblem(error.message));
  });
}

// Links may name languages and a text, as LibreTranslate's do: ?source=en&target=de&q=text.
function followLink() {
  const link = new URLSearchParams(location.search);
  const now = chosen();
  choose(link.get('source') ?? (now.source || 'auto'), link.get('target') ?? now.target);
  if (link.get('q')) byId('text').value = link.get('q');
}

async function start() {
  byId('problem-close').addEventListener('click', () => showProblem(''));
  const [settings, languages] =
    await Promise.all([getJson('frontend/settings'), getJson('languages')]);
  setUpKey(settings);
  setUpLanguages(languages, settings, translateSoon, swapTexts);
  followLink();
  setUpHistory(translateText);
  setUpCloserLook();
  setUpMap(lookedAt);
  setUpTranslation(settings);
  await setUpUploads(settings);
}

start().catch((error) => showProblem(error.message));

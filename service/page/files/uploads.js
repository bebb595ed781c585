// Files that the user chooses or drops on the page. They become batch jobs if the server has them;
// otherwise the server translates each while the page waits.
import { translateDocument } from './documents.js';
import { byId, showProblem } from './elements.js';
import { refreshJobs, setUpJobs, submitJob } from './jobs.js';
import { chosen, detects } from './languages.js';
import { say } from './words.js';

let formats = [];     // file name endings that the server accepts
let hasJobs = false;

const failed = (error) => showProblem(error.message);

function check(file) {
  if (file.size === 0) throw new Error(say('the file is empty.'));
  const name = hasJobs ? file.name.toLowerCase().replace(/\.gz$/, '') : file.name.toLowerCase();
  if (!formats.some((end) => name.endsWith(end)))
    throw new Error(say('the server does not translate files of this kind. It takes {formats}.',
      { formats: formats.join(', ') }));
}

async function send(file) {
  check(file);
  const languages = { ...chosen(), ...(detects() ? { source: 'auto' } : {}) };
  await (hasJobs ? submitJob(file, languages) : translateDocument(file, languages));
}

async function sendAll(files) {
  const problems = [];
  for (const file of files) {
    byId('files-status').textContent = say('Sending {name}…', { name: file.name });
    await send(file).catch((error) => problems.push(`${file.name}: ${error.message}`));
  }
  byId('files-status').textContent = '';
  showProblem(problems.join(' '));
  if (hasJobs) await refreshJobs();
}

function setUpDrop() {
  const drop = byId('drop');
  const holdsFiles = (event) => event.dataTransfer?.types.includes('Files');
  addEventListener('dragover', (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    drop.classList.add('over');
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) drop.classList.remove('over');
  });
  addEventListener('drop', (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    drop.classList.remove('over');
    sendAll([...event.dataTransfer.files]).catch(failed);
  });
}

export async function setUpUploads(settings) {
  hasJobs = settings.batchJobs;
  byId('files').hidden = !hasJobs && !settings.filesTranslation;
  if (byId('files').hidden) return;
  formats = hasJobs ? settings.batchJobsFormat : settings.supportedFilesFormat;
  byId('file').accept = [...formats, ...(hasJobs ? ['.gz'] : [])].join(',');
  byId('formats').textContent = formats.map((end) => end.slice(1)).join(', ');
  for (const part of document.querySelectorAll('#files .of-jobs')) part.hidden = !hasJobs;
  for (const part of document.querySelectorAll('#files .of-documents')) part.hidden = hasJobs;
  byId('file').addEventListener('change', () => {
    const files = [...byId('file').files];
    byId('file').value = '';
    sendAll(files).catch(failed);
  });
  setUpDrop();
  if (hasJobs) await setUpJobs();
}

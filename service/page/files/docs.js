// Shows openapi.json as a page.
import { byId, element } from './elements.js';

let document_ = {};

const resolved = (item) => (item?.$ref
  ? item.$ref.slice(2).split('/').reduce((at, name) => at[name], document_) : item ?? {});

function typeOf(schema) {
  const { type, oneOf, enum: values, const: only } = resolved(schema);
  if (oneOf) return [...new Set(oneOf.map(typeOf))].join(' or ');
  if (only !== undefined) return String(only);
  if (values) return values.filter((value) => value !== null).join(', ');
  return [type ?? 'any'].flat().filter((name) => name !== 'null').join(' or ');
}

function fieldRow([name, field], required) {
  const { description = '', default: otherwise } = { ...resolved(field), ...field };
  const notes = [required.includes(name) ? 'Required.' : '', description,
    otherwise === undefined ? '' : `Default: ${JSON.stringify(otherwise)}.`];
  return element('tr', {}, element('td', {}, element('code', { textContent: name })),
    element('td', { textContent: typeOf(field) }),
    element('td', { textContent: notes.filter(Boolean).join(' ') }));
}

function tableOf(rows) {
  const head = element('tr', {}, ...['Field', 'Type', 'Description'].map(
    (textContent) => element('th', { textContent, scope: 'col' })));
  return element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows));
}

function fieldsOf({ requestBody, parameters = [] }) {
  const [content] = Object.values(resolved(requestBody).content ?? {});
  const { properties = {}, required = [] } = resolved(content?.schema);
  return [
    ...parameters.map(resolved).map((one) => fieldRow(
      [one.name, { ...one.schema, description: one.description }], one.required ? [one.name] : [])),
    ...Object.entries(properties).map((entry) => fieldRow(entry, required)),
  ];
}

function sectionOf(path, method, operation) {
  const statuses = Object.entries(operation.responses).map(([status, response]) => element('li',
    { textContent: `${status}: ${resolved(response).description}` }));
  const rows = fieldsOf(operation);
  return element('details', {},
    element('summary', {}, element('code', { textContent: `${method.toUpperCase()} ${path}` }),
      ` ${operation.summary ?? ''}`),
    element('p', { textContent: operation.description ?? '' }),
    ...(rows.length > 0 ? [tableOf(rows)] : []), element('ul', {}, ...statuses));
}

async function show() {
  const response = await fetch('openapi.json');
  document_ = await response.json();
  const all = Object.entries(document_.paths).flatMap(([path, methods]) => Object.entries(methods)
    .filter(([, operation]) => operation.responses)
    .map(([method, operation]) => sectionOf(path, method, operation)));
  byId('operations').replaceChildren(
    element('p', { textContent: document_.info.description.replaceAll('`', '') }), ...all);
}

show().catch(() => { byId('state').textContent = 'The description cannot be loaded.'; });

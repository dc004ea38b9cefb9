// The page of a group: asks its member for the values once a second, and draws them. No library.
'use strict';

const POINTS = 120;
const LEAST_POINTS = 30;
const PERIOD_MILLIS = 1000;
const TOKEN = 'amo.token';
const viewer = Array.from(crypto.getRandomValues(new Uint32Array(2)), each => each.toString(16)).join('');
const series = { calls: [], p99: [], entries: [], timeoutOnly: [] };
const rows = document.getElementById('rows');

function element(id) {
  return document.getElementById(id);
}

/** Only a change, so that a screen reader says nothing twice. */
function show(target, text) {
  if (target && target.textContent !== text) {
    target.textContent = text;
  }
}

function headers(more) {
  const token = sessionStorage.getItem(TOKEN);
  return Object.assign(token ? { Authorization: 'Bearer ' + token } : {}, more);
}

function count(number) {
  return Math.round(number).toLocaleString('en');
}

function time(micros) {
  return micros < 1000 ? micros + ' µs' : micros < 1e6 ? (micros / 1000).toFixed(1) + ' ms' : (micros / 1e6).toFixed(1) + ' s';
}

/** Lines of one plot; all of them have its scale. @return the largest value */
function draw(id, lines) {
  const plot = element(id);
  const most = Math.max(1, ...lines.flat());
  lines.forEach((values, i) => {
    let line = plot.children[i];
    if (!line) {
      line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
      line.setAttribute('class', i === 0 ? 'own' : 'other');
      plot.append(line);
    }
    const width = Math.max(LEAST_POINTS, values.length);
    const step = 300 / (width - 1);
    const start = width - values.length;
    line.setAttribute('points', values.map((value, x) =>
        ((start + x) * step).toFixed(1) + ',' + (78 - 76 * value / most).toFixed(1)).join(' '));
  });
  return most;
}

function plot(values) {
  for (const name of Object.keys(series)) {
    series[name].push(values[name]);
    if (series[name].length > POINTS) {
      series[name].shift();
    }
  }
  show(element('most-calls'), 'Top of the plot: ' + count(draw('plot-calls', [series.calls])) + '.');
  show(element('most-p99'), 'Top of the plot: ' + time(draw('plot-p99', [series.p99])) + '.');
  show(element('most-cache'), 'Top of the plot: ' + count(draw('plot-cache', [series.entries, series.timeoutOnly])) + '.');
}

/** A row as row.html has it. */
function fresh(id, columns) {
  const row = document.createElement('tr');
  for (let column = 0; column < columns; column++) {
    const cell = document.createElement(column === 0 ? 'th' : 'td');
    if (column === 0) {
      cell.scope = 'row';
    }
    row.append(cell);
  }
  const nonce = element('nonce');
  if (nonce) {
    const form = document.createElement('form');
    form.method = 'post';
    form.action = '/kill';
    const button = document.createElement('button');
    button.textContent = 'kill -9';
    button.setAttribute('aria-label', 'Kill member ' + id + '; it starts again');
    form.append(hidden('nonce', nonce.value), hidden('member', id), button);
    row.append(document.createElement('td'));
    row.lastElementChild.append(form);
  }
  return row;
}

function hidden(name, value) {
  const field = document.createElement('input');
  field.type = 'hidden';
  field.name = name;
  field.value = value;
  return field;
}

/** Rows stay the same elements while their member stays, and keep the focus. */
function table(members) {
  const known = new Map(Array.from(rows.children, row => [row.cells[0].textContent, row]));
  members.forEach((member, i) => {
    const row = known.get(member.cells[0]) || fresh(member.cells[0], member.cells.length);
    known.delete(member.cells[0]);
    row.className = member.kind;
    member.cells.forEach((text, column) => show(row.cells[column], text));
    if (rows.children[i] !== row) {
      rows.insertBefore(row, rows.children[i] || null);
    }
  });
  known.forEach(row => row.remove());
}

function events(lines) {
  const list = element('events');
  if (list && Array.from(list.children, item => item.textContent).join('\n') !== lines.join('\n')) {
    list.replaceChildren(...lines.map(line => {
      const item = document.createElement('li');
      item.textContent = line;
      return item;
    }));
  }
}

function take(values) {
  for (const [id, text] of Object.entries(values.texts)) {
    show(element(id), text);
  }
  table(values.rows);
  plot(values.plots);
  events(values.events);
  for (const claim of document.querySelectorAll('.claim dd')) {
    claim.classList.toggle('wrong', claim.textContent !== '0');
  }
}

function stale(reason) {
  document.body.classList.toggle('stale', reason !== '');
  show(element('connection'), reason || 'Live: the members are asked once a second while a page is open.');
}

/** @return milliseconds until the next question */
async function ask() {
  const answer = await fetch('/page.json', { headers: headers({ 'Amo-Viewer': viewer }), cache: 'no-store' });
  if (answer.status === 401) {
    const asked = sessionStorage.getItem(TOKEN);
    sessionStorage.removeItem(TOKEN);
    element('token').hidden = false;
    show(element('refused'), asked ? 'The port does not take this token. Its file is that of --http-token-file.' : '');
    return Infinity;
  }
  if (!answer.ok) {
    stale((await answer.text()).trim() + '.');
    return 1000 * (Number(answer.headers.get('Retry-After')) || 10);
  }
  take(await answer.json());
  stale('');
  return PERIOD_MILLIS;
}

async function go() {
  let wait = PERIOD_MILLIS;
  try {
    if (!document.hidden) {
      wait = await ask();
    }
  } catch (failure) {
    stale('No answer. The page asks again.');
  }
  if (wait < Infinity) {
    setTimeout(go, wait);
  }
}

element('token')?.addEventListener('submit', event => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN, element('given').value.trim());
  element('given').value = '';
  element('token').hidden = true;
  go();
});

rows.addEventListener('submit', async event => {
  event.preventDefault();
  try {
    const answer = await fetch(event.target.action, {
      method: 'POST',
      headers: headers({ Accept: 'text/plain' }),
      body: new URLSearchParams(new FormData(event.target)),
    });
    show(element('told'), (await answer.text()).trim() + '.');
  } catch (failure) {
    show(element('told'), 'No answer; press again.');
  }
});

go();

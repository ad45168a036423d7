// Search in all pages. The words are a script, not a file to fetch: pages opened from disk have no
// server; and they are loaded by the first who searches.
const form = document.querySelector('[role="search"]')
const field = form.querySelector('input')
const list = document.getElementById('found')
const status = form.querySelector('[role="status"]')
const MOST = 12
form.hidden = false

let loading
function load () {
  loading ??= new Promise((resolve) => {
    const script = document.createElement('script')
    script.src = 'words.js'
    script.onload = resolve
    document.head.append(script)
  })
  return loading
}

// A part of a page has every word; those rank first that have them in a heading, then often.
function rank (part, words) {
  const heading = part.heading.toLowerCase()
  const text = part.text.toLowerCase()
  let rank = 0
  for (const word of words) {
    const times = text.split(word).length - 1
    const named = heading.includes(word)
    if (!times && !named) return 0
    rank += Math.min(times, 5) + (named ? 20 : 0)
  }
  return rank
}

function excerpt (text, word) {
  const at = Math.max(text.toLowerCase().indexOf(word), 0)
  const begin = Math.max(text.lastIndexOf(' ', Math.max(at - 50, 0)), 0)
  const shown = document.createElement('span')
  shown.append(begin ? '… ' : '', text.slice(begin, at).trimStart())
  const mark = document.createElement('mark')
  mark.textContent = text.slice(at, at + word.length)
  const rest = `${text} `.slice(at + word.length, at + 90)
  shown.append(mark, rest.slice(0, rest.lastIndexOf(' ') + 1), '…')
  return shown
}

function row (part, words) {
  const link = document.createElement('a')
  link.href = part.link
  link.textContent = part.heading
  const item = document.createElement('li')
  const word = words.find((each) => part.text.toLowerCase().includes(each))
  item.append(link, word ? excerpt(part.text, word) : '')
  return item
}

async function search () {
  await load()
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  const found = window.PARTS.map((part) => ({ part, rank: words.length ? rank(part, words) : 0 }))
    .filter((each) => each.rank > 0)
    .sort((one, two) => two.rank - one.rank)
  list.replaceChildren(...found.slice(0, MOST).map((each) => row(each.part, words)))
  const many = found.length > MOST ? `the first ${MOST} of ${found.length} places` : `${found.length} places`
  status.textContent = !words.length ? '' : found.length ? many.replace(/^1 places/, '1 place') : 'found nowhere'
}

field.addEventListener('focus', load)
field.addEventListener('input', search)
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  await search()
  list.querySelector('a')?.click()
})
// A link to another part of this very page leaves the list behind.
list.addEventListener('click', () => { field.value = ''; search() })
document.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const places = [field, ...list.querySelectorAll('a')]
  const at = places.indexOf(document.activeElement)
  if (step && at >= 0 && places[at + step]) {
    event.preventDefault()
    places[at + step].focus()
  }
  if (event.key === 'Escape' && field.value) { field.value = ''; search() }
  if (event.key === '/' && !/^(input|textarea|select)$/i.test(event.target.tagName)) {
    event.preventDefault()
    field.focus()
  }
})

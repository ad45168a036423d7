// Beside a wide page the contents scroll by themselves: show the place where the reader is.
const contents = document.getElementById('contents')
const here = contents.querySelector('[aria-current]')
if (here) contents.scrollTop = here.offsetTop - contents.clientHeight / 3

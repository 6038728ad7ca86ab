// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The page's script.
///
/// Archive text is inserted only as text content. Colors of classes are rules of the style sheet. Colors of archives are
/// numbers, which are set as a property, because the page's policy forbids style attributes in markup. Scrolling and
/// selecting take time linear in the visible rows. Opening the page, folding, searching and following a link take time
/// linear in all rows, as does the first list of referring rows.
enum OutlineScript {
  /// The script, as one function without global names.
  static let text = "(() => {\n'use strict';\n\(model)\n\(words)\n\(view)\n\(searching)\n\(details)\n\(keys)\n})();"

  /// The names of kinds, by their raw values.
  private static let kinds = Outline.Kind.allCases.map { $0 == .classRecord ? "'class'" : "'\($0)'" }
    .joined(separator: ", ")

  /// The rows and their positions in the tree.
  private static let model = #"""
    const element = id => document.getElementById(id);
    const data = JSON.parse(element('data').textContent);
    element('data').remove();
    const R = Int32Array.from(data.rows), S = data.strings, C = data.classes, P = data.previews, n = R.length / 7;
    const KINDS = [\#(kinds)];
    const DATA = \#(Outline.Kind.data.rawValue), OBJECT = \#(Outline.Kind.object.rawValue);
    const ARRAY = \#(Outline.Kind.array.rawValue), DICTIONARY = \#(Outline.Kind.dictionary.rawValue);
    const GROUP = \#(Outline.Kind.group.rawValue);
    const depth = i => R[7 * i], kind = i => R[7 * i + 2], klass = i => R[7 * i + 3], number = i => R[7 * i + 4];
    const text = i => R[7 * i + 5] < 0 ? '' : S[R[7 * i + 5]], home = i => R[7 * i + 6];
    // For each row: the index after its last contained row, its parent, and the enclosing data.
    const end = new Int32Array(n), parent = new Int32Array(n), nest = new Int32Array(n);
    {
      const open = [];
      for (let i = 0; i < n; i++) {
        while (open.length && depth(open[open.length - 1]) >= depth(i)) end[open.pop()] = i;
        const p = open.length ? open[open.length - 1] : -1;
        parent[i] = p;
        nest[i] = p < 0 ? -1 : kind(p) === DATA ? p : nest[p];
        open.push(i);
      }
      for (const i of open) end[i] = n;
    }
    const hasInside = i => end[i] > i + 1;
    // The expanded rows: by default, as many levels as fit on one or two screens.
    const unfolded = new Uint8Array(n);
    {
      let levels = data.unfold;
      if (levels < 0) {
        const counts = [];
        for (let i = 0; i < n; i++) if (nest[i] < 0) counts[depth(i)] = (counts[depth(i)] || 0) + 1;
        let sum = counts[0] || 0;
        for (levels = 0; levels < counts.length - 1 && (!levels || sum + counts[levels + 1] <= 120);) {
          sum += counts[++levels];
        }
      }
      for (let i = 0; i < n; i++) unfolded[i] = nest[i] < 0 && kind(i) !== DATA && depth(i) < levels ? 1 : 0;
    }
    // The rows that refer to an object, by its home; computed at the first use.
    let referrers = null;
    function referring(i) {
      if (!referrers) {
        referrers = new Map();
        for (let r = 0; r < n; r++) {
          if (home(r) < 0) continue;
          const list = referrers.get(home(r));
          if (list) list.push(r); else referrers.set(home(r), [r]);
        }
      }
      return referrers.get(i) || [];
    }
    const isCycle = i => home(i) >= 0 && home(i) < i && i < end[home(i)];
    """#

  /// The texts of a row.
  private static let words = #"""
    function label(i) {
      const l = R[7 * i + 1];
      if (l < -1) return `[${-2 - l}]`;
      if (l < 0) return '';
      return (l & 3) === 3 ? `${l & 4 ? 'value' : 'key'} [${l >> 3}]` : S[l >> 2];
    }
    // A step of a key path for `get`; null if the row does not show it in full.
    function step(i, isFirst) {
      const l = R[7 * i + 1];
      if (l < -1) return `[${-2 - l}]`;
      if (l < 0) return null;
      if ((l & 3) === 3) return (l & 4 ? '' : '.NS.keys') + `[${l >> 3}]`;
      let name = S[l >> 2];
      if ((l & 3) === 2) return name;
      if ((l & 3) === 1) {
        if (!/^".*"$/s.test(name)) return null;
        name = name.slice(1, -1);
      }
      if (!name || /[\\"…]/.test(name)) return null;
      // The rule of KeyPathText: a key with dots is in quotes, because the part before a dot can be a key, too.
      const isPlain = !/[[\]'\s]/.test(name) && name !== 'NS' && !(isFirst && name[0] === '#')
        && (!name.includes('.') || /^NS\.[^.]+$/.test(name));
      return isPlain ? (isFirst ? '' : '.') + name : `["${name}"]`;
    }
    function path(i) {
      let steps = '';
      for (let r = i; ; r = parent[r]) {
        const p = parent[r];
        const isFirst = p < 0 || kind(p) === DATA || kind(p) === GROUP;
        const s = kind(r) === GROUP ? null : step(r, isFirst);
        const known = home(r) < 0 && number(r) >= 0;
        if (known && (s === null || steps.length > 200)) { steps = '#' + number(r) + steps; break; }
        if (s === null) return '';
        steps = s + steps;
        if (isFirst) break;
      }
      return steps;
    }
    const grouped = count => count.toLocaleString('en');
    const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
    function make(name, className, content) {
      const e = document.createElement(name);
      if (className) e.className = className;
      if (content !== undefined) e.textContent = content;
      return e;
    }
    // A text for comparison without case. File names from a Mac have accents as separate marks, typed ones do not.
    const folded = text => text.toLowerCase().normalize('NFC');
    // An element for a text in a row, with the search term marked.
    function marked(className, content) {
      // Short texts are not shortened in favor of long ones.
      const e = make('span', content.length < 25 ? className + ' short' : className);
      content = content.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, ' ');
      if (content.length > 600) content = content.slice(0, 600).replace(/[\ud800-\udbff]$/, '') + '…';
      const lower = query && folded(content);
      if (!query || lower.length !== content.length || !lower.includes(query)) {
        e.textContent = content;
        return e;
      }
      let from = 0;
      for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, from)) {
        e.append(content.slice(from, at), make('mark', '', content.slice(at, at + query.length)));
        from = at + query.length;
      }
      e.append(content.slice(from));
      return e;
    }
    const color = c => 'c' + c % \#(Palette.count);
    function link(i, to, words) {
      const a = make('a', isCycle(i) ? 'link cycle' : 'link', words);
      a.href = address(to);
      return a;
    }
    const address = i => nest[i] < 0 && home(i) < 0 && number(i) >= 0 ? '#' + number(i) : '#r' + i;
    function rowAt(hash) {
      const found = /^#(r?)(\d{1,10})$/.exec(hash);
      if (!found) return -1;
      const value = Number(found[2]);
      if (found[1]) return value < n ? value : -1;
      for (let i = 0; i < n; i++) if (number(i) === value && nest[i] < 0 && home(i) < 0) return i;
      return -1;
    }
    """#

  /// The visible rows.
  private static let view = #"""
    const tree = element('tree'), rows = element('rows');
    const HEIGHT = matchMedia('(pointer: coarse)').matches ? 36 : 25, STEP = 16, DEEPEST = 24;
    document.documentElement.style.setProperty('--row', HEIGHT + 'px');
    // Browsers limit the height of an element, some to less than 18 million pixels. Scrolling a higher tree is scaled.
    const HIGHEST = 16e6;
    // The rows that are not inside a collapsed row.
    const V = new Int32Array(n);
    // Their positions among visible siblings; and the numbers of visible rows at the top, and directly in each row.
    const place = new Int32Array(n), size = new Int32Array(n + 1);
    let count = 0, current = 0;
    let query = '', chosen = new Set();
    // During a search: 1 for ancestors of matches, 2 for matches; and the expanded rows.
    let keep = null, keepOpen = null;
    const states = () => keep ? keepOpen : unfolded;
    function layOut() {
      const open = states();
      count = 0;
      size.fill(0);
      for (let i = 0, inside = 0; i < n;) {
        if (keep && i >= inside && !keep[i]) { i = end[i]; continue; }
        V[count++] = i;
        place[i] = size[parent[i] + 1]++;
        if (!hasInside(i)) { i++; continue; }
        if (!open[i]) { i = end[i]; continue; }
        if (keep && i >= inside && !(keep[i] & 1)) inside = end[i];
        i++;
      }
      rows.style.height = Math.min(count * HEIGHT, HIGHEST) + 'px';
      element('none').hidden = count > 0 || !keep;
    }
    // The pixels of rows for one pixel of scrolling.
    function scale() {
      const high = count * HEIGHT, room = tree.clientHeight - 12;
      return high > HIGHEST ? (high - room) / (HIGHEST - room) : 1;
    }
    // The position of a row among the visible ones; -1 if it is not visible.
    function index(i) {
      let low = 0, high = count - 1;
      while (low <= high) {
        const middle = (low + high) >> 1;
        if (V[middle] === i) return middle;
        if (V[middle] < i) low = middle + 1; else high = middle - 1;
      }
      return -1;
    }
    function draw() {
      const at = tree.scrollTop, top = at * scale();
      const first = Math.max(0, Math.floor(top / HEIGHT) - 6);
      const last = Math.min(count, Math.ceil((top + tree.clientHeight) / HEIGHT) + 6);
      const drawn = [];
      for (let k = first; k < last; k++) drawn.push(row(V[k], Math.round(k * HEIGHT - top + at)));
      rows.replaceChildren(...drawn);
      const active = element('r' + current);
      if (active) tree.setAttribute('aria-activedescendant', active.id);
      else tree.removeAttribute('aria-activedescendant');
    }
    function row(i, y) {
      const e = make('div', `row k-${KINDS[kind(i)]}`);
      e.id = 'r' + i;
      e.setAttribute('role', 'treeitem');
      e.setAttribute('aria-level', depth(i) + 1);
      e.setAttribute('aria-posinset', place[i] + 1);
      e.setAttribute('aria-setsize', size[parent[i] + 1]);
      e.setAttribute('aria-selected', i === current);
      if (hasInside(i)) e.setAttribute('aria-expanded', !!states()[i]);
      if (keep && keep[i] === 1) e.classList.add('way');
      e.style.transform = `translateY(${y}px)`;
      const guides = make('span', 'guides');
      guides.style.width = Math.min(depth(i), DEEPEST) * STEP + 'px';
      e.append(guides, make('span', 'twist'));
      if (depth(i) > DEEPEST) e.append(make('span', 'level', `(${depth(i)}) `));
      const name = label(i);
      if (name) e.append(marked('label', name), make('span', 'colon', ': '));
      if (P[i] && P[i].image && P[i].image[3].length < 200000) e.append(picture(P[i].image, 'thumb'));
      if (klass(i) >= 0) {
        e.classList.add(color(klass(i)));
        e.append(make('span', 'chip'), marked('class', C[klass(i)][0]));
      } else if (kind(i) === ARRAY || kind(i) === DICTIONARY) {
        e.append(make('span', 'kind', KINDS[kind(i)]));
      }
      const isFirst = klass(i) < 0 && kind(i) !== ARRAY && kind(i) !== DICTIONARY;
      const space = () => make('span', '', ' ');
      if (P[i] && P[i].color) e.append(...(isFirst ? [] : [space()]), swatch(P[i].color, 'swatch'));
      if (text(i)) e.append(...(isFirst ? [] : [space()]), marked('text', text(i)));
      if (home(i) >= 0) {
        const a = link(i, home(i), (isCycle(i) ? '↻#' : '↑#') + number(i));
        a.tabIndex = -1;
        a.title = isCycle(i) ? 'Refers to an enclosing object: a cycle' : 'Shown elsewhere';
        e.append(space(), a);
      } else if (number(i) >= 0) {
        e.append(space(), make('span', 'number', '#' + number(i)));
      }
      return e;
    }
    function picture(image, className) {
      const e = make('img', className);
      e.alt = `${image[0]} picture, ${image[1]} by ${image[2]} pixels`;
      e.src = `data:image/${image[0]};base64,${image[3]}`;
      return e;
    }
    function swatch(color, className) {
      const e = make('span', className);
      const [r, g, b, a] = color.map(Number);
      // A gradient over the pattern of transparent places.
      e.style.setProperty('--swatch', `rgb(${r} ${g} ${b} / ${a / 255})`);
      return e;
    }
    let isDrawing = false;
    function drawSoon() {
      if (isDrawing) return;
      isDrawing = true;
      requestAnimationFrame(() => { isDrawing = false; draw(); });
    }
    function scrollTo(k, isCentered) {
      const top = k * HEIGHT, room = tree.clientHeight - HEIGHT - 12, by = scale(), shown = tree.scrollTop * by;
      if (top < shown || top > shown + room) {
        tree.scrollTop = (isCentered ? top - room / 2 : top < shown ? top : top - room) / by;
      }
    }
    function select(i, isCentered = false) {
      current = i;
      scrollTo(Math.max(0, index(i)), isCentered);
      draw();
      showDetails();
    }
    // Expands the ancestors of a row, ends a search that hides it, and selects it.
    function reveal(i) {
      if (keep && !keep[i]) endSearch();
      for (let p = parent[i]; p >= 0; p = parent[p]) states()[p] = 1;
      layOut();
      if (index(i) < 0) { endSearch(); return reveal(i); }
      select(i, true);
    }
    function setOpen(i, isOpen) {
      if (!hasInside(i) || !!states()[i] === isOpen) return;
      states()[i] = isOpen ? 1 : 0;
      if (!isOpen && current > i && current < end[i]) current = i;
      layOut();
      select(current);
    }
    // Follows a link; the browser's Back button returns.
    function follow(i) {
      if (location.hash !== address(current)) history.replaceState(null, '', address(current));
      if (location.hash === address(i)) reveal(i); else location.hash = address(i);
    }
    addEventListener('hashchange', () => {
      const i = rowAt(location.hash);
      if (i >= 0) { reveal(i); tree.focus({ preventScroll: true }); }
    });
    document.addEventListener('click', event => {
      const a = event.target.closest('a.link');
      if (!a) return;
      event.preventDefault();
      const i = rowAt(a.hash);
      if (i >= 0) { follow(i); tree.focus({ preventScroll: true }); }
    });
    tree.addEventListener('scroll', drawSoon, { passive: true });
    new ResizeObserver(drawSoon).observe(tree);
    tree.addEventListener('click', event => {
      const e = event.target.closest('.row');
      if (!e || event.target.closest('a')) return;
      const i = Number(e.id.slice(1));
      current = i;
      if (event.target.closest('.twist') && hasInside(i)) setOpen(i, !states()[i]); else select(i);
    });
    tree.addEventListener('dblclick', event => {
      const e = event.target.closest('.row');
      if (!e || event.target.closest('a, .twist')) return;
      const i = Number(e.id.slice(1));
      if (home(i) >= 0) follow(home(i)); else setOpen(i, !states()[i]);
    });
    """#
}

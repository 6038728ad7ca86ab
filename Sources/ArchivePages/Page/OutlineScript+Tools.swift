// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension OutlineScript {
  /// The search and the filter by class.
  static let searching = #"""
    const input = element('query'), found = element('found');
    let texts = null, classTexts = null, longTexts = null, waiting = 0;
    function search() {
      query = folded(input.value.trim());
      if (!query && !chosen.size) return endSearch();
      if (!texts) {
        texts = S.map(folded);
        classTexts = C.map(c => folded(c[0]));
        longTexts = Object.keys(P).filter(i => P[i].text).map(i => [Number(i), folded(P[i].text)]);
      }
      const hits = texts.map(s => s.includes(query)), classHits = classTexts.map(c => c.includes(query));
      const longHits = new Set(longTexts.filter(t => t[1].includes(query)).map(t => t[0]));
      const wanted = /^#\d+$/.test(query) ? Number(query.slice(1)) : -2;
      keep = new Uint8Array(n);
      keepOpen = new Uint8Array(n);
      let matches = 0;
      for (let i = 0; i < n; i++) {
        if (chosen.size && !chosen.has(klass(i))) continue;
        if (query) {
          const l = R[7 * i + 1];
          const isHit = R[7 * i + 5] >= 0 && hits[R[7 * i + 5]] || l >= 0 && (l & 3) !== 3 && hits[l >> 2]
            || klass(i) >= 0 && classHits[klass(i)] || number(i) === wanted || longHits.has(i);
          if (!isHit) continue;
        }
        matches++;
        keep[i] |= 2;
        for (let p = parent[i]; p >= 0 && !(keep[p] & 1); p = parent[p]) { keep[p] |= 1; keepOpen[p] = 1; }
      }
      // A screen reader announces all of it; the field has no room for more than the number.
      const rest = matches === 0 ? ' found' : matches === 1 ? ' match' : ' matches';
      found.replaceChildren(matches ? grouped(matches) : 'none', make('span', 'sr', rest));
      layOut();
      const first = matches ? nextMatch(-1, 1) : -1;
      if (first >= 0 && !(keep[current] & 2)) { tree.scrollTop = 0; select(first); } else select(current);
    }
    // The next match after a row, in either direction; -1 if no match follows.
    function nextMatch(i, by) {
      for (let r = i + by; r >= 0 && r < n; r += by) if (keep[r] & 2) return r;
      return -1;
    }
    function goToMatch(by) {
      if (!keep) return;
      const i = nextMatch(current, by);
      if (i >= 0) reveal(i);
    }
    function endSearch() {
      clearTimeout(waiting);
      query = '';
      input.value = '';
      found.replaceChildren();
      chosen.clear();
      for (const b of document.querySelectorAll('#classes button')) b.setAttribute('aria-pressed', 'false');
      keep = keepOpen = null;
      for (let p = n ? parent[current] : -1; p >= 0; p = parent[p]) unfolded[p] = 1;
      layOut();
      if (n) select(current, true); else draw();
    }
    input.addEventListener('input', () => {
      clearTimeout(waiting);
      if (n < 20000) search(); else waiting = setTimeout(search, 90);
    });
    {
      const counts = new Int32Array(C.length);
      for (let i = 0; i < n; i++) if (klass(i) >= 0 && home(i) < 0) counts[klass(i)]++;
      const order = [...counts.keys()].filter(c => counts[c]).sort((a, b) => counts[b] - counts[a] || a - b);
      const list = element('classes');
      for (const c of order.slice(0, 300)) {
        const b = make('button', color(c));
        b.type = 'button';
        b.setAttribute('aria-pressed', 'false');
        b.title = C[c][0];
        b.append(make('span', 'dot'), make('span', 'name', C[c][0]), make('span', 'count', grouped(counts[c])));
        b.addEventListener('click', () => {
          if (chosen.has(c)) chosen.delete(c); else chosen.add(c);
          b.setAttribute('aria-pressed', chosen.has(c));
          search();
        });
        list.append(b);
      }
      if (order.length > 300) list.append(make('p', 'count', `and ${grouped(order.length - 300)} more`));
      if (!order.length) list.append(make('p', 'count', 'none'));
    }
    """#

  /// The details of the selected row.
  static let details = #"""
    const pane = element('details');
    let shown = -1;
    const isContainer = i => [OBJECT, ARRAY, DICTIONARY].includes(kind(i));
    function showDetails() {
      if (shown === current) return;
      shown = current;
      pane.replaceChildren();
      pane.scrollTop = 0;
      if (!n) return;
      const i = current, at = home(i) >= 0 ? home(i) : i, preview = P[at] || {};
      const c = klass(i);
      const part = (title, ...content) => {
        const e = make('div');
        if (title) e.append(make('h2', '', title));
        e.append(...content);
        pane.append(e);
        return e;
      };
      const names = { group: 'rows', note: 'note', class: 'class record', damaged: 'damaged value' };
      const title = make('p', 'title', c >= 0 ? C[c][0] : names[KINDS[kind(i)]] || KINDS[kind(i)]);
      if (c >= 0) title.classList.add(color(c));
      const head = part('', title);
      if (c >= 0 && C[c].length > 2) head.append(make('p', 'chain', 'inherits from ' + C[c].slice(2).join(', ')));
      if (number(i) >= 0) head.append(make('p', 'chain', 'object #' + number(i)));
      if (label(i).length > 30) part('Key', make('pre', '', label(i)));
      const ways = [];
      for (let r = i; r >= 0; r = nest[r]) ways.unshift(path(r));
      if (ways.every(way => way)) {
        const e = part(ways.length > 1 ? 'Key path, from archive to archive' : 'Key path');
        ways.forEach((way, k) => e.append(...(k ? [' › '] : []), make('code', '', way)));
      }
      if (home(i) >= 0) {
        part(isCycle(i) ? 'Cycle' : 'Shown elsewhere',
          make('span', '', isCycle(i) ? 'It refers to the enclosing object: ' : 'Its content is at '),
          link(i, at, path(at) || '#' + number(i)));
      }
      if (preview.image) {
        const [format, width, height] = preview.image;
        part(`Picture, ${format}, ${width} × ${height} pixels`, picture(preview.image, 'picture'));
      }
      if (preview.date !== undefined) {
        const date = new Date((preview.date + 978307200) * 1000);
        part('Date', make('p', '', text(at)));
        const local = isNaN(date) ? '' : date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
        if (local) part('In your time zone', make('p', '', local));
      } else if (preview.text !== undefined) {
        const rest = preview.cut ? ', the beginning' : '';
        part(`Text, ${counted(preview.size, 'byte')}${rest}`, make('pre', '', preview.text));
      } else if (text(at) && kind(at) !== DATA && !isContainer(at)) {
        part(c >= 0 || hasInside(at) ? 'Value' : '', make('pre', '', text(at)));
      }
      if (preview.color) part('Color', swatch(preview.color, 'swatch large'));
      if (preview.archive) part('Archive', make('p', '', 'The data is a keyed archive; object numbers inside are its own.'));
      if (preview.note) part('', make('p', 'soft', preview.note));
      if (preview.bytes) part(`Data, ${counted(preview.size, 'byte')}` + (preview.size > 256 ? ', the first 256' : ''),
        make('pre', 'hex', dump(preview.bytes)));
      if (hasInside(at)) {
        const rows = counted(end[at] - at - 1, 'row') + ' in all';
        part('Inside', make('p', '', isContainer(at) && text(at) ? `${text(at)}, ${rows}` : rows));
      }
      const from = referring(at);
      if (from.length) {
        const list = make('ul');
        for (const r of [at, ...from].slice(0, 40)) {
          const item = make('li');
          if (r === i) item.append(make('span', 'soft', (path(r) || label(r)) + ' (this row)'));
          else item.append(Object.assign(link(r, r, path(r) || label(r) || '#' + number(r)), { href: '#r' + r }));
          list.append(item);
        }
        if (from.length >= 40) list.append(make('li', 'soft', `and ${grouped(from.length - 39)} more`));
        part(`Referred to from ${counted(from.length + 1, 'place')}`, list);
      }
    }
    function dump(base64) {
      const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
      const lines = [];
      for (let at = 0; at < bytes.length; at += 8) {
        const part = [...bytes.subarray(at, at + 8)];
        const hex = part.map(b => b.toString(16).padStart(2, '0')).join(' ').padEnd(23);
        const shown = part.map(b => b > 31 && b < 127 ? String.fromCharCode(b) : '·').join('');
        lines.push(`${at.toString(16).padStart(3, '0')}  ${hex}  ${shown}`);
      }
      return lines.join('\n');
    }
    """#

  /// The keyboard, the buttons, and the start.
  static let keys = #"""
    function move(to) {
      if (count) select(V[Math.min(count - 1, Math.max(0, to))]);
    }
    tree.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey || !count && !'/?'.includes(event.key)) return;
      const k = index(current), i = current, page = Math.max(1, Math.floor(tree.clientHeight / HEIGHT) - 2);
      const isOpen = hasInside(i) && states()[i];
      switch (event.key) {
        case 'ArrowDown': move(k + 1); break;
        case 'ArrowUp': move(k - 1); break;
        case 'PageDown': move(k + page); break;
        case 'PageUp': move(k - page); break;
        case 'Home': move(0); break;
        case 'End': move(count - 1); break;
        case 'ArrowRight': if (isOpen) move(k + 1); else setOpen(i, true); break;
        case 'ArrowLeft': if (isOpen) setOpen(i, false); else if (parent[i] >= 0) select(parent[i]); break;
        case 'Enter': case ' ': if (home(i) >= 0) follow(home(i)); else setOpen(i, !isOpen); break;
        case '*':
          for (let r = parent[i] + 1, last = parent[i] < 0 ? n : end[parent[i]]; r < last; r = end[r]) states()[r] = 1;
          layOut();
          select(i);
          break;
        case 'n': goToMatch(1); break;
        case 'p': goToMatch(-1); break;
        case '/': input.focus(); input.select(); break;
        case '?': element('keys').showModal(); break;
        default: return;
      }
      event.preventDefault();
    });
    // Characters are keys of the tree only: speech input types them anywhere.
    document.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey || element('keys').open) return;
      const isTyping = event.target === input;
      if (event.key === 'Escape') { if (keep || input.value) endSearch(); tree.focus({ preventScroll: true }); }
      else if (isTyping && (event.key === 'Enter' || event.key === 'ArrowDown')) {
        clearTimeout(waiting);
        search();
        tree.focus({ preventScroll: true });
      }
      else return;
      event.preventDefault();
    });
    element('fold').addEventListener('click', () => setAll(0));
    element('unfold').addEventListener('click', () => setAll(1));
    function setAll(state) {
      states().fill(state);
      while (!state && parent[current] >= 0) current = parent[current];
      layOut();
      if (n) select(current, true);
    }
    element('help').addEventListener('click', () => element('keys').showModal());
    element('theme').addEventListener('click', () => {
      const root = document.documentElement, themes = ['auto', 'light', 'dark'];
      const theme = themes[(themes.indexOf(root.dataset.theme || 'auto') + 1) % 3];
      if (theme === 'auto') delete root.dataset.theme; else root.dataset.theme = theme;
      const name = theme[0].toUpperCase() + theme.slice(1);
      element('theme').textContent = name;
      element('theme').setAttribute('aria-label', 'Theme: ' + name);
    });
    layOut();
    const asked = rowAt(location.hash);
    if (asked >= 0) reveal(asked); else if (n) select(0); else draw();
    tree.focus({ preventScroll: true });
    """#
}

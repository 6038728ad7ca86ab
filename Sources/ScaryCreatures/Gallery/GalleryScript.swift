// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The script of the page, which adds keys to the viewer. Everything else works without it.
enum GalleryScript {
  /// The script, as one function without global names. Each key follows a link of the open viewer.
  ///
  /// The page is also well-formed XML, so the script has no `&` and no `<`.
  static let text = """
    (() => {
    'use strict';
    const links = new Map([['Escape', '.shut'], ['ArrowLeft', '.back'], ['ArrowRight', '.on']]);
    document.addEventListener('keydown', event => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.isComposing) return;
      const selector = links.get(event.key);
      const link = selector ? document.querySelector('.viewer:target ' + selector) : null;
      if (!link) return;
      event.preventDefault();
      link.click();
    });
    })();
    """
}

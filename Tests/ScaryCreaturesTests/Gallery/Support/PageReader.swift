// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The page as read by an XML parser.
final class PageReader: NSObject, XMLParserDelegate {
  struct Element {
    let name: String
    let attributes: [String: String]
    /// The names of the enclosing elements, outermost first.
    let around: [String]
    /// The text of the element.
    var text = ""

    var id: String? { attributes["id"] }
    var classes: [Substring] { attributes["class"]?.split(separator: " ") ?? [] }
  }

  private(set) var elements: [Element] = []
  private(set) var error: (any Error)?
  private var open: [Int] = []

  init(_ html: String) {
    super.init()
    // XML parsers do not know the document type of HTML.
    let body = html.replacingOccurrences(of: "<!DOCTYPE html>\n", with: "")
    let parser = XMLParser(data: Data(body.utf8))
    parser.delegate = self
    if !parser.parse() { error = parser.parserError ?? CocoaError(.coderReadCorrupt) }
  }

  func elements(_ name: String) -> [Element] { elements.filter { $0.name == name } }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    elements.append(Element(name: name, attributes: attributes, around: open.map { elements[$0].name }))
    open.append(elements.count - 1)
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    open.removeLast()
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    for i in open { elements[i].text += string }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat

extension PropertyListValue {
  /// The value without the kinds that XML does not distinguish.
  fileprivate var inXML: PropertyListValue {
    switch self {
    case .array(let values): .array(values.map(\.inXML))
    case .dictionary(let entries): .dictionary(PropertyListDictionary(entries.map { ($0.key, $0.value.inXML) }))
    case .float(let value): .double(Double(value))
    case .date(let date):
      .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down)))
    default: self
    }
  }
}

extension CorpusCheck {
  /// An archive is converted to XML, and the XML to a binary list.
  package static let keptInXML = CorpusCheck(
    "has the same values in XML, and in a binary list from that XML", counts: ["archives": 442...442], sampleStep: 5
  ) { file, _, findings in
    let data = try file.data()
    let xml = try PropertyList(data).rewritten(as: .xml)
    let binary = try PropertyList(xml).rewritten(as: .binary)
    let expected = try PropertyListValue(propertyList: data).inXML
    findings.expect(try PropertyListValue(propertyList: xml) == expected, "\(file.name), as XML")
    findings.expect(try PropertyListValue(propertyList: binary) == expected, "\(file.name), as a binary list")
    findings.expect(try PropertyList(xml).rewritten() == xml, "\(file.name), as XML again")
    findings.count()
  }
}

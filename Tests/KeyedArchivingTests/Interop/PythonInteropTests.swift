// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("Python's plistlib and we read each other", .enabled(if: Python.isPresent, Comment(rawValue: Python.isAbsent)))
struct PythonInteropTests {
  /// Resolves the archive on standard input with a few lines of its own and prints it with sorted keys.
  private static let resolve = """
    import plistlib, sys, json, base64
    def uids(v):  # plistlib leaves the UIDs of XML files as the dictionaries they are
        if isinstance(v, dict): return plistlib.UID(v['CF$UID']) if list(v) == ['CF$UID'] else {k: uids(x) for k, x in v.items()}
        return [uids(x) for x in v] if isinstance(v, list) else v
    p = uids(plistlib.loads(sys.stdin.buffer.read()))
    assert sorted(p) == ['$archiver', '$objects', '$top', '$version']
    assert p['$archiver'] == 'NSKeyedArchiver' and p['$version'] == 100000 and p['$objects'][0] == '$null'
    o = p['$objects']
    def r(u):
        if not isinstance(u, plistlib.UID): return base64.b64encode(u).decode() if isinstance(u, bytes) else u
        v = o[u.data]
        if u.data == 0: return None
        if isinstance(v, bytes): return base64.b64encode(v).decode()
        if not isinstance(v, dict): return v
        c = o[v['$class'].data]['$classname']
        if c == 'NSArray': return [r(x) for x in v['NS.objects']]
        if c == 'NSDictionary': return {r(k): r(x) for k, x in zip(v['NS.keys'], v['NS.objects'])}
        return {'class': c, 'chain': o[v['$class'].data].get('$classes'),
                'keys': {k: r(x) for k, x in v.items() if k != '$class'}}
    print(json.dumps({k: r(u) for k, u in p['$top'].items()}, sort_keys=True, ensure_ascii=False))
    """

  @Test("Python finds what we archived, in every layout and in XML", arguments: ArchiveLayout.allCases)
  func pythonReads(_ layout: ArchiveLayout) throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true, layout: layout)
    archiver.encode(
      ["text": ["é😀", "plain", ""], "more": ["x"]], forKey: "root")
    archiver.encode([1, -1, 1 << 40, 255, 256], forKey: "integers")
    archiver.encode([0.5, -2.25, 1e100], forKey: "reals")
    archiver.encode(UInt64.max, forKey: "wide")
    archiver.encode(true, forKey: "flag")
    archiver.encode(nil, forKey: "nothing")
    archiver.encode(Data([0, 1, 255]), forKey: "data")
    archiver.encode(Creature(title: "Ghost", rating: 5), forKey: "creature")
    archiver.encode(Date(timeIntervalSinceReferenceDate: 1.5), forKey: "date")
    let binary = try archiver.encodedData
    let expected = """
      {"creature": {"chain": ["ScaryCreatures.ScaryCreatureData", "NSObject"], "class": \
      "ScaryCreatures.ScaryCreatureData", "keys": {"Rating": 5.0, "Title": "Ghost"}}, "data": "AAH/", \
      "date": {"chain": ["NSDate", "NSObject"], "class": "NSDate", "keys": {"NS.time": 1.5}}, "flag": true, \
      "integers": [1, -1, 1099511627776, 255, 256], "nothing": null, "reals": [0.5, -2.25, 1e+100], \
      "root": {"more": ["x"], "text": ["é😀", "plain", ""]}, "wide": 18446744073709551615}

      """
    for data in [binary, try PropertyList(binary).data(format: .xml)] {
      let output = try Python.run(Self.resolve, input: data)
      #expect(String(decoding: output, as: UTF8.self) == expected)
    }
  }

  @Test("we find what Python archived", arguments: ["FMT_BINARY", "FMT_XML"], [true, false])
  func weRead(_ format: String, _ sorted: Bool) throws {
    let program = """
      import plistlib, sys
      U = plistlib.UID if plistlib.\(format) == plistlib.FMT_BINARY else lambda n: {'CF$UID': n}
      p = {'$version': 100000, '$archiver': 'NSKeyedArchiver', '$top': {'root': U(1)}, '$objects': [
        '$null',
        {'NS.keys': [U(2), U(3), U(4)], 'NS.objects': [U(5), U(6), U(7)], '$class': U(8)},
        'tags', 'count', 'when',
        {'NS.objects': [U(9), U(9)], '$class': U(10)}, -7, {'NS.time': 1.25, '$class': U(11)},
        {'$classname': 'NSMutableDictionary', '$classes': ['NSMutableDictionary', 'NSDictionary', 'NSObject']},
        'é', {'$classname': 'NSArray', '$classes': ['NSArray', 'NSObject']},
        {'$classname': 'NSDate', '$classes': ['NSDate', 'NSObject']}]}
      sys.stdout.buffer.write(plistlib.dumps(p, fmt=plistlib.\(format), sort_keys=\(sorted ? "True" : "False")))
      """
    let data = try Python.run(program)
    let types: [any KeyedCoding.Type] = [
      ArchivedDictionary.self, ArchivedArray.self, String.self, Int.self, Date.self,
    ]
    let made = try #require(
      try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: data) as? ArchivedDictionary)
    #expect((made["tags"] as? ArchivedArray)?.elements as? [String] == ["é", "é"])
    #expect(made["count"] as? Int == -7)
    #expect(made["when"] as? Date == Date(timeIntervalSinceReferenceDate: 1.25))
    #expect(try KeyedArchive(data).data() == data)
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

@Suite("Callbacks of an archiving that call the coders of bridged classes")
struct EncodingCallbackTests {
  private static let calls = CoderCall.encoding + CoderCall.decoding + CoderCall.unsupported + CoderCall.asking
  private static let direct: Set<Callback> = [.encoding, .nestedEncoding, .elementEncoding]

  /// Archives a graph, and returns the archive and the error.
  private static func archive(_ first: Int, _ run: CrateRun) -> (data: Data?, error: KeyedArchiveError?) {
    let delegate = CrateDelegate()
    return CrateRun.$current.withValue(run) {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.delegate = delegate
      archiver.encode(Crate.graph(first), forKey: KeyedArchiver.rootKey)
      var data: Data?
      var failure: KeyedArchiveError?
      do {
        data = try archiver.encodedData
      } catch {
        failure = error as? KeyedArchiveError
        #expect(failure != nil, "\(error)")
      }
      withExtendedLifetime(delegate) {}
      return (data, failure ?? archiver.error)
    }
  }

  /// Checks that an archive has the values of a graph, and returns the numbers of the objects that have another one.
  private static func objectsWithNewValue(_ data: Data, _ first: Int) throws -> [Int] {
    let read = try KeyedUnarchiver.unarchivedObject(ofClass: Crate.self, from: data)
    #expect(read?.summary == Crate.graph(first).summary)
    let archive = try KeyedArchive(data)
    let lists = [archive.root["items"].array ?? [], archive.root["group"].array ?? []]
    let crates = [archive.root, archive.root["child"]] + lists.flatMap(\.self)
    #expect(crates.count == 6)
    var found: [Int] = []
    for crate in crates {
      guard case .integer(let number) = try #require(crate["number"].number) else { continue }
      #expect(crate["text"].string == "text \(number)" && crate["real"].number == .double(Double(number) + 0.5))
      #expect(crate["tag"]["number"].number == .integer(number + 1000))
      if crate["new"].exists || crate["$1"].exists { found.append(Int(number)) }
    }
    return found
  }

  /// A sixteenth of the calls with each coder; with `WHOLE_TESTS`, all.
  @Test("end in a value of the coder's own object, or in a typed error", arguments: Callback.ofEncoding)
  func eachCall(_ callback: Callback) throws {
    let callbackTurn = try #require(Callback.ofEncoding.firstIndex(of: callback))
    for (turn, origin) in CoderOrigin.allCases.enumerated() where origin != .outermost {
      for (index, call) in Self.calls.enumerated() where Sample.includes(index + turn + callbackTurn, each: 16) {
        let label = "\(call.name) with the \(origin) coder at \(callback)"
        var reply: CoderReply?
        var number: Int?
        var foreign: (data: Data?, error: KeyedArchiveError?)?
        let run = CrateRun(at: callback) { run in
          let coder: NSCoder?
          switch origin {
          case .innermost, .outermost: (coder, number) = (run.running.last?.coder, run.running.last?.number)
          case .kept: coder = run.kept.last
          case .foreign:
            coder = nil
            do {
              foreign = try CrateRun.withForeignCoder(at: .encoding) {
                Self.archive(101, $0)
              } _: {
                reply = CoderReply(call, $0)
              }
              number = 101
            } catch {
              Issue.record(error)
            }
          }
          if let coder { reply = CoderReply(call, coder) }
        }
        var (data, error) = Self.archive(1, run)
        #expect(run.hasFired, "\(callback)")
        if let foreign {
          // The other archive is not touched.
          #expect(try Self.objectsWithNewValue(#require(data), 1) == [] && error == nil)
          (data, error) = foreign
        }
        guard let reply else { continue }
        #expect(data != nil || error != nil)
        let isDirect = origin == .foreign || origin == .innermost && Self.direct.contains(callback)
        let found = try data.map { try Self.objectsWithNewValue($0, origin == .foreign ? 101 : 1) } ?? []
        if CoderCall.asking.contains(where: { $0.name == call.name }) {
          #expect(data != nil && error == nil && found == [], "\(label)")
        } else if isDirect, CoderCall.encoding.contains(where: { $0.name == call.name }) {
          #expect(error == nil && number.map { found == [$0] } == true, "\(label): \(found)")
        } else if CoderCall.encoding.contains(where: { $0.name == call.name }) {
          // Without an object, the value belongs to the top level, or to nothing.
          #expect(found == [], "\(label)")
          #expect(error != nil || origin != .kept, "\(label)")
        } else {
          #expect(error != nil && (reply == .fails || reply == .text(call.refused)), "\(label): \(reply)")
        }
      }
    }
  }

  @Test("after the end of the archiving are refused, whatever the method")
  func afterTheEnd() throws {
    for call in CoderCall.decoding + CoderCall.encoding {
      let run = CrateRun(at: .encoding) { _ in }
      let (data, error) = Self.archive(1, run)
      #expect(try Self.objectsWithNewValue(#require(data), 1) == [] && error == nil)
      #expect(run.kept.count >= 6)
      for coder in run.kept {
        let reply = CoderReply(call, coder)
        #expect(coder.error != nil && (reply == .fails || reply == .text(call.refused)), "\(call.name): \(reply)")
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

/// A coder with which a callback makes a call.
enum CoderOrigin: String, CaseIterable {
  /// That of the innermost method that runs, and of the outermost.
  case innermost, outermost
  /// One whose method has returned.
  case kept
  /// That of another archive, in a method that runs in another thread and waits.
  case foreign
}

/// What a call returned.
enum CoderReply: Equatable {
  case text(String)
  case fails

  init(_ call: CoderCall, _ coder: NSCoder) {
    do {
      self = .text(try call.run(coder))
    } catch {
      #expect(error is KeyedArchiveError, "\(call.name): \(error)")
      self = .fails
    }
  }
}

@Suite("Callbacks of a decoding that call the coders of bridged classes")
struct DecodingCallbackTests {
  private static let calls = CoderCall.decoding + CoderCall.encoding + CoderCall.unsupported + CoderCall.asking
  /// The callbacks that the method of the innermost coder itself reaches.
  private static let direct: Set<Callback> = [
    .initializer, .initializerEnd, .nestedInitializer, .elementInitializer, .delivery,
  ]

  private static func archive(_ first: Int) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: Crate.graph(first), requiringSecureCoding: true)
  }

  /// The contents of a graph that was decoded, or the error.
  private static func decode(_ data: Data, _ run: CrateRun) throws -> (summary: String?, error: KeyedArchiveError?) {
    let delegate = CrateDelegate()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.delegate = delegate
    return CrateRun.$current.withValue(run) {
      var summary: String?
      var failure: KeyedArchiveError?
      do {
        summary = try unarchiver.decode(Crate.self, forKey: KeyedArchiver.rootKey).summary
      } catch {
        failure = error as? KeyedArchiveError
        #expect(failure != nil, "\(error)")
      }
      unarchiver.finishDecoding()
      withExtendedLifetime(delegate) {}
      return (summary, failure ?? unarchiver.error)
    }
  }

  /// Checks the reply to a call, and the error of the decoding.
  private static func check(
    _ call: CoderCall, _ reply: CoderReply, _ number: Int?, _ origin: CoderOrigin, _ callback: Callback,
    _ error: KeyedArchiveError?
  ) {
    let label = "\(call.name) with the \(origin) coder at \(callback)"
    if CoderCall.asking.contains(where: { $0.name == call.name }) { return #expect(error == nil, "\(label)") }
    let isRefused = reply == .fails || reply == .text(call.refused) && error != nil
    guard let number, CoderCall.decoding.contains(where: { $0.name == call.name }) else {
      return #expect(isRefused, "\(label): \(reply)")
    }
    guard let expected = call.expected?(number) else { return }
    let isRight = reply == .text(expected) && error == nil
    let mustBeRight = origin == .foreign || origin == .innermost && direct.contains(callback)
    #expect(isRight || isRefused && !mustBeRight, "\(label): \(reply); expected \(expected); \(error as Any)")
  }

  /// A sixteenth of the calls with each coder; with `WHOLE_TESTS`, all.
  @Test("end in the value of the coder's own object, or in a typed error", arguments: Callback.ofDecoding)
  func eachCall(_ callback: Callback) throws {
    let (data, foreignData) = (try Self.archive(1), try Self.archive(101))
    let (expected, foreignExpected) = (Crate.graph(1).summary, Crate.graph(101).summary)
    let callbackTurn = try #require(Callback.ofDecoding.firstIndex(of: callback))
    for (turn, origin) in CoderOrigin.allCases.enumerated() {
      for (index, call) in Self.calls.enumerated() where Sample.includes(index + turn + callbackTurn, each: 16) {
        var reply: CoderReply?
        var number: Int?
        var foreign: (summary: String?, error: KeyedArchiveError?)?
        let run = CrateRun(at: callback) { run in
          let coder: NSCoder?
          switch origin {
          case .innermost: (coder, number) = (run.running.last?.coder, run.running.last?.number)
          case .outermost:
            (coder, number) =
              run.running.count > 1 ? (run.running.first?.coder, run.running.first?.number) : (nil, nil)
          case .kept: coder = run.kept.last
          case .foreign:
            coder = nil
            do {
              foreign = try CrateRun.withForeignCoder(at: .initializer) {
                try Self.decode(foreignData, $0)
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
        let (summary, error) = try Self.decode(data, run)
        #expect(run.hasFired, "\(callback)")
        #expect(summary == nil || summary == expected, "\(call.name) with the \(origin) coder at \(callback)")
        if let foreign {
          #expect(foreign.summary == nil ? foreign.error != nil : foreign.summary == foreignExpected)
          // The other archive is not touched.
          #expect(summary == expected && error == nil)
        }
        guard let reply else { continue }
        Self.check(call, reply, number, origin, callback, foreign.map(\.error) ?? error ?? run.caught)
      }
    }
  }

  @Test("after the end of the decoding are refused, whatever the method")
  func afterTheEnd() throws {
    let data = try Self.archive(1)
    for call in CoderCall.decoding + CoderCall.encoding {
      let run = CrateRun(at: .initializer) { _ in }
      let (summary, error) = try Self.decode(data, run)
      #expect(summary == Crate.graph(1).summary && error == nil)
      #expect(run.kept.count >= 6)
      for coder in run.kept {
        let reply = CoderReply(call, coder)
        #expect(reply == .fails || reply == .text(call.refused) && coder.error != nil, "\(call.name): \(reply)")
      }
    }
  }
}

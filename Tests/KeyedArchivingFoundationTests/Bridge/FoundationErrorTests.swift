// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import Foundation
  import KeyedArchives
  import KeyedArchiving
  import KeyedArchivingFoundation
  import TestSupport
  import Testing

  @Suite("Errors of Foundation and of Swift")
  struct FoundationErrorTests {
    private struct Call: CustomTestStringConvertible, Sendable {
      var testDescription: String
      var run: @Sendable (URL) throws -> Void
    }

    private static let missing = "missing/file"

    /// Calls that fail in a folder without files.
    private static let calls = [
      Call(testDescription: "reading data") { _ = try Data(contentsOf: $0.appending(path: missing)) },
      Call(testDescription: "reading text") {
        _ = try String(contentsOf: $0.appending(path: missing), encoding: .utf8)
      },
      Call(testDescription: "reading invalid text") {
        let file = $0.appending(path: "latin")
        try Data([0xFF, 0x41]).write(to: file)
        _ = try String(contentsOf: file, encoding: .utf8)
      },
      Call(testDescription: "writing data") { try Data().write(to: $0.appending(path: missing)) },
      Call(testDescription: "removing") { try FileManager.default.removeItem(at: $0.appending(path: missing)) },
      Call(testDescription: "listing") {
        _ = try FileManager.default.contentsOfDirectory(atPath: $0.appending(path: missing).path)
      },
      Call(testDescription: "moving") {
        try FileManager.default.moveItem(at: $0.appending(path: missing), to: $0.appending(path: "new"))
      },
      Call(testDescription: "attributes") {
        _ = try FileManager.default.attributesOfItem(atPath: $0.appending(path: missing).path)
      },
      Call(testDescription: "opening") { _ = try FileHandle(forReadingFrom: $0.appending(path: missing)) },
      Call(testDescription: "starting a program") {
        let process = Process()
        process.executableURL = $0.appending(path: missing)
        try process.run()
      },
      Call(testDescription: "JSON") { _ in _ = try JSONSerialization.jsonObject(with: Data("{".utf8)) },
      Call(testDescription: "a property list") { _ in
        _ = try PropertyListDecoder().decode([Int].self, from: Data("<".utf8))
      },
      Call(testDescription: "decoding") { _ in _ = try JSONDecoder().decode(Int.self, from: Data("{}".utf8)) },
      Call(testDescription: "an expression") { _ in _ = try NSRegularExpression(pattern: "(") },
    ]

    private static let classes: [AnyClass] = [
      NSError.self, NSString.self, NSNumber.self, NSData.self, NSURL.self, NSArray.self, NSDictionary.self,
    ]

    private func archive(_ error: any Error) throws -> Data {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.encodeFoundationObject(error as NSError, forKey: KeyedArchiver.rootKey)
      return try archiver.encodedData
    }

    private func roundTrip(_ error: any Error) throws -> NSError? {
      try KeyedUnarchiver.unarchivedFoundationObject(ofClasses: Self.classes, from: archive(error)) as? NSError
    }

    @Test("keep the domain, the code, the keys, and the underlying error", arguments: calls.indices)
    func thrown(_ index: Int) throws {
      let folder = try ScratchFolder()
      let error = try #require(#expect(throws: (any Error).self) { try Self.calls[index].run(folder.url) }) as NSError
      let made = try #require(try roundTrip(error))
      #expect(made.domain == error.domain && made.code == error.code)
      #expect(Set(made.userInfo.keys) == Set(error.userInfo.keys))
      let (underlying, expected) = (made.userInfo[NSUnderlyingErrorKey], error.userInfo[NSUnderlyingErrorKey])
      let found = (underlying as? any Error).map { $0 as NSError }
      let original = (expected as? any Error).map { $0 as NSError }
      #expect(found?.domain == original?.domain && found?.code == original?.code)
    }

    @Test("that read a missing file have the code of the system as underlying error")
    func missingFile() throws {
      let error = try #require(
        #expect(throws: (any Error).self) { try Data(contentsOf: URL(filePath: "/nonexistent/file")) })
      let root = try KeyedArchive(archive(error)).root
      #expect(root["NSDomain"].string == "NSCocoaErrorDomain" && root["NSCode"].number == .integer(260))
      let underlying = root["NSUserInfo"]["NSUnderlyingError"]
      #expect(underlying.className == "NSError" && underlying["NSDomain"].string == "NSPOSIXErrorDomain")
      #expect(underlying["NSCode"].number == .integer(2))
    }

    private enum Failure: Error { case first, second }

    private struct Described: CustomNSError {
      static var errorDomain: String { "Described" }
      var errorCode: Int { 7 }
      var errorUserInfo: [String: Any] { ["reason": "why", "cause": Failure.second] }
    }

    private final class Reference: Error {}

    /// An error that is archived as itself.
    private final class Coded: Error, SecureKeyedCoding {
      static var archiveClassName: String { "Coded" }
      init() {}
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) {}
    }

    @Test("of the program are errors with their domain, code and user info")
    func swiftErrors() throws {
      // An array of errors: its classes are not objects for Swift's runtime.
      let known = NSError(domain: "known", code: 3)
      let errors: [any Error] = [Failure.second, Described(), Reference(), known]
      let data = try Probe.archive { $0.encode(errors, forKey: "errors") }
      try Probe.read(data) { coder in
        let made = coder.decodeObject(of: Self.classes, forKey: "errors") as? [NSError]
        #expect(made?.map(\.domain) == errors.map { ($0 as NSError).domain })
        #expect(made?.map(\.code) == [1, 7, 1, 3])
        #expect(made?[1].userInfo["reason"] as? String == "why")
        #expect((made?[1].userInfo["cause"] as? NSError)?.code == 1)
      }
      let archive = try KeyedArchive(
        Probe.archive { coder in
          coder.encode([known, Coded(), known] as [any Error], forKey: "errors")
          coder.encode(known, forKey: "known")
        })
      #expect(archive.root["errors"][1].className == "Coded")
      #expect(archive.root["errors"][0].uid == archive.root["known"].uid)
      #expect(archive.root["errors"][0].uid == archive.root["errors"][2].uid)
    }
  }
#endif

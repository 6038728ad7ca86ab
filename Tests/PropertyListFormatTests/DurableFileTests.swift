// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import Testing

@Suite("DurableFile")
struct DurableFileTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "durable-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  @Test("replaces the content, keeps the permissions, and leaves no temporary file", arguments: [true, false])
  func replacing(durably isDurable: Bool) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.plist")
    try DurableFile.write(Data([1]), to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    try DurableFile.write(Data([2, 3]), to: file, durably: isDurable)
    #expect(try Data(contentsOf: file) == Data([2, 3]))
    #expect(try names() == ["a.plist"])
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
  }

  @Test("replaces the target of a symbolic link")
  func links() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, link) = (folder.appending(path: "file"), folder.appending(path: "link"))
    try Data([1]).write(to: file)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    try DurableFile.write(Data([2]), to: link)
    #expect(try Data(contentsOf: file) == Data([2]))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
  }

  @Test("rejects the URL of something else than a file")
  func otherScheme() throws {
    let url = try #require(URL(string: "https://example.org\(folder.path)/file"))
    let error = #expect(throws: PropertyListError.self) { try DurableFile.write(Data([1]), to: url) }
    #expect(error?.code == .fileAccess)
    #expect((try? names()) ?? [] == [])
  }

  @Test("keeps the old content if writing fails")
  func failing() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let error = #expect(throws: PropertyListError.self) {
      try DurableFile.write(Data([1]), to: folder.appending(path: "no/such/file"))
    }
    #expect(error?.code == .fileAccess)
    // A folder has the path of the file.
    let taken = folder.appending(path: "taken")
    try FileManager.default.createDirectory(at: taken, withIntermediateDirectories: true)
    #expect(throws: PropertyListError.self) { try DurableFile.write(Data([1]), to: taken) }
    #expect(try names() == ["taken"])
  }
}

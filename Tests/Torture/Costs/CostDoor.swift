// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// An entry point: an operation on a file, which ends in a value or an error.
struct CostDoor: Sendable {
  /// What is done with an input.
  enum Operation: Sendable {
    /// A call, which returns the number of bytes that it wrote.
    case call(@Sendable (Data) throws -> Int)
    /// A run of `keyedarchive`. Among the arguments, `FILE` is the input, and `CHANGED` is the input with one byte changed.
    /// Without either, the input is the standard input.
    case command([String])
  }

  let name: String
  let form: CostForm
  /// Makes a file of about a number of bytes without anything special, with objects of a class that only this entry point
  /// decodes; nil if it decodes the plain files of all.
  var plain: (@Sendable (Int) -> Data)?
  let operation: Operation

  /// Whether the operation is a process.
  var isCommand: Bool { if case .command = operation { true } else { false } }
  /// The size of inputs, relative to that for calls.
  var scale: Int { isCommand ? 8 : 1 }

  init(
    _ name: String, _ form: CostForm = .binary, plain: (@Sendable (Int) -> Data)? = nil,
    _ call: @escaping @Sendable (Data) throws -> Void
  ) {
    self.name = name
    self.form = form
    self.plain = plain
    operation = .call { data in
      try call(data)
      return 0
    }
  }

  /// An entry point that writes bytes, each of which counts as one of the input's: a value can take as much memory as
  /// `ReadLimits.maximumExpansion` says, and its archive is not smaller.
  init(writing name: String, _ call: @escaping @Sendable (Data) throws -> Int) {
    self.name = name
    form = .binary
    operation = .call(call)
  }

  /// A command. The processor time to start a process does not count, and inputs are larger than those of calls, so that they
  /// take longer than that.
  init(command: String, _ form: CostForm = .binary) {
    name = "command " + command
    self.form = form
    operation = .command(command.split(separator: " ").map(String.init))
  }

  /// Each entry point, in the order of the table.
  static let all = reading + decoding + graphs + commands

  /// Performs the operation.
  /// - Returns: The processor time, in seconds. If the operation writes more bytes than it reads, the time is reduced to the
  ///   share of those read.
  func cost(_ data: Data) -> Double {
    switch operation {
    case .call(let call):
      let start = System.threadTime()
      let written = (try? call(data)) ?? 0
      return (System.threadTime() - start) * Double(data.count) / Double(max(data.count, written))
    case .command(let arguments): return CommandTool.cost(of: arguments, data)
    }
  }

  /// The number of bytes that an input counts as: small files are mostly opened, not read.
  func weight(_ input: Data) -> Double { Double(max(input.count, 8192 * scale)) }

  /// Returns an archive with one byte changed.
  static func changed(_ data: Data) -> Data {
    var bytes = [UInt8](data)
    bytes[bytes.count / 3] ^= 1
    return Data(bytes)
  }

  /// Performs each of several operations, whatever the results.
  static func each(_ operations: [() throws -> Void]) { for operation in operations { try? operation() } }
}

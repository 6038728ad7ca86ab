// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation

/// Runs Python programs, whose standard library reads and writes property lists with code of its own.
public enum Python {
  /// Why a test that needs Python is skipped.
  public static let isAbsent = "python3 is not installed"

  private static let program = Program.installed("python3")

  /// Whether there is a Python.
  public static var isPresent: Bool { program != nil }

  /// Runs a program with arguments and input; returns its output.
  public static func run(_ text: String, _ arguments: [String] = [], input: Data = Data()) throws -> Data {
    guard let program else { throw Failure(status: -1, errors: isAbsent) }
    let run = try program.run(["-c", text] + arguments, input: input)
    guard run.code == 0 else { throw Failure(status: run.code, errors: run.errors) }
    return run.data
  }

  /// A program that did not end well.
  public struct Failure: Error {
    /// Its exit status.
    public var status: Int32
    /// What it said.
    public var errors: String
  }
}

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

  /// Whether Python has Pillow, which decodes pictures with libpng.
  public static let hasPillow = (try? run("import PIL.Image")) != nil

  /// Runs a program with arguments and input, in a folder where one is given; returns its output.
  public static func run(
    _ text: String, _ arguments: [String] = [], input: Data = Data(), in place: URL? = nil
  ) throws -> Data {
    guard let program else { throw Failure(status: -1, errors: isAbsent) }
    let run = try program.run(["-c", text] + arguments, input: input, in: place)
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchivingTesting
import XCTest

/// The checks in XCTest, which has no current test of Swift Testing.
final class FixtureCase: XCTestCase {
  func testChecksPassAndFail() throws {
    let folder = try FixtureFolder()
    let fixtures = folder.fixtures({ ArchiveFixtures(of: Creature.self, in: $0) }, environment: recording)
    XCTAssertThrowsError(try fixtures.checkVersions(current: "1", value: ghost)) { error in
      XCTAssertEqual((error as? FixtureFailure)?.kinds, [.recorded, .recorded])
    }
    try fixtures.checkVersions(current: "1", value: ghost)
    try fixtures.checkDamagedCopies(of: "1")
    let silent = folder.fixtures { ArchiveFixtures(of: Creature.self, in: $0) }
    XCTAssertThrowsError(try silent.check("2", archiving: ghost)) { error in
      XCTAssertEqual((error as? FixtureFailure)?.kinds, [.missing])
      XCTAssertTrue(
        "\(error)".contains("--filter '^KeyedArchivingTestingTests\\..*/testChecksPassAndFail(\\(.*\\))?(/|$)'"))
      XCTAssertEqual(error.localizedDescription, "\(error)")
    }
  }
}

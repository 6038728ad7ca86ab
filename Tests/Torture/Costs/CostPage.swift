// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchiving

/// A plain class of Codable, which has a key that collections of Foundation have.
final class CostPage: Codable {
  enum CodingKeys: String, CodingKey { case title, next, pages = "NS.objects", tags }
  let title: String?
  let next: CostPage?
  let pages: [CostPage]?
  let tags: [String: Int]?

  init(title: String?, next: CostPage?, pages: [CostPage]?, tags: [String: Int]?) {
    (self.title, self.next, self.pages, self.tags) = (title, next, pages, tags)
  }

  /// Returns an archive of a chain of pages. Each page refers to the next one three times.
  static func sharedPages(_ byteCount: Int) -> Data { archive(of: pages(min(byteCount / 120, 300))) }

  /// An archive of an array that has one chain of pages many times.
  static func repeatedChain(_ byteCount: Int) -> Data {
    archive(of: [CostPage](repeating: pages(20), count: max(1, byteCount / 8)))
  }

  /// An archive of many pages that are different.
  static func manyPages(_ byteCount: Int) -> Data {
    archive(
      of: (0..<max(1, byteCount / 150)).map {
        CostPage(title: "page \($0)", next: nil, pages: [], tags: ["tag \($0)": $0])
      })
  }

  private static func pages(_ count: Int) -> CostPage {
    var page = CostPage(title: "last", next: nil, pages: nil, tags: nil)
    for number in 0..<count {
      page = CostPage(title: "page \(number)", next: page, pages: [page, page], tags: ["a": number])
    }
    return page
  }

  private static func archive(of value: some Encodable) -> Data {
    (try? KeyedArchiveEncoder().encode(value)) ?? Data()
  }
}

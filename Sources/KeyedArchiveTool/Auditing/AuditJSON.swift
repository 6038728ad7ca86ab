// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchiving

/// An audit for programs.
struct AuditJSON {
  private var json = JSONWriter()
  private let limit: OutputLimit

  init(within limit: OutputLimit) { self.limit = limit }

  /// The audit as an object, in a line.
  mutating func write(_ audit: ArchiveAudit, schema: Int?) throws(Failure) -> [UInt8] {
    json.beginObject()
    if let schema { json.field("schema", schema) }
    try put(audit)
    json.endObject()
    json.newline()
    return json.bytes
  }

  private mutating func put(_ audit: ArchiveAudit) throws(Failure) {
    json.field("files", audit.archiveCount)
    json.field("archives", audit.archiveCount + audit.nestedArchiveCount)
    json.field("nestedArchives", audit.nestedArchiveCount)
    json.field("damagedNestedArchives", audit.damagedNestedArchiveCount)
    json.field("objects", audit.objectCount)
    json.field("allow", audit.classNames)
    json.field("top", audit.topClassNames)
    json.field("nestedTop", audit.nestedTopClassNames)
    try keys("topKeys", audit.topKeys)
    json.key("classes")
    json.beginArray()
    for use in audit.classes {
      json.beginObject()
      json.field("class", use.name)
      json.field("objects", use.count)
      json.field("classes", use.descriptions.first?.chain ?? [])
      if let hints = use.descriptions.first?.hints, !hints.isEmpty { json.field("hints", hints) }
      json.field("places", use.placeCount)
      json.field("paths", use.paths)
      try keys("keys", use.keys)
      json.endObject()
    }
    json.endArray()
  }

  private mutating func keys(_ name: String, _ keys: [(key: String, use: ValueUse)]) throws(Failure) {
    json.key(name)
    json.beginArray()
    for (key, use) in keys {
      json.beginObject()
      json.field("key", key)
      content(use)
      json.endObject()
      guard json.bytes.count <= limit.byteCount else {
        throw limit.failure("JSON", remedy: "Look at a part of it with 'get --json'")
      }
    }
    json.endArray()
  }

  /// What is under a key, or in collections there.
  private mutating func content(_ use: ValueUse) {
    json.field("count", use.count)
    json.key("kinds")
    json.beginArray()
    for (kind, count) in use.sortedKinds {
      json.beginObject()
      json.field("kind", kind.description)
      json.field("count", count)
      json.endObject()
    }
    json.endArray()
    inner("elements", use.elements)
    inner("pairKeys", use.pairKeys)
    inner("pairValues", use.pairValues)
  }

  private mutating func inner(_ name: String, _ use: ValueUse?) {
    guard let use else { return }
    json.key(name)
    json.beginObject()
    content(use)
    json.endObject()
  }
}

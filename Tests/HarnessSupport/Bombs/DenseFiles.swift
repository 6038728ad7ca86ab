// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Archives as archivers write them, in which nothing is shared but texts and numbers that are equal, and in which nearly
/// every byte is a reference. No honest file has more values for its size.
package enum DenseFiles {
  package static let booleans = array(20_000)
  package static let arraysOfBooleans = arrays(100, of: 200)

  package static let oneData = "objects that hold one data"

  package static let all: [(name: String, data: Data)] = [
    ("one array of booleans", booleans), ("arrays of booleans", arraysOfBooleans),
    ("objects with many keys", objects(80, keyCount: 120, keyLength: 30)),
    ("objects with many short keys", objects(120, keyCount: 100, keyLength: 4)),
    (oneData, objectsWithOneData(2000, byteCount: 20_000)),
  ]

  /// A writer that stores equal data once writes the icon of two thousand objects like this.
  private static func objectsWithOneData(_ count: Int, byteCount: Int) -> Data {
    var file = ArchiveFile()
    let (array, icon) = (file.classUID("NSArray", "NSObject"), file.classUID("Icon", "NSObject"))
    let data = file.row(.data(byteCount))
    let icons = (0..<count).map { _ in file.reference(file.object(row: file.fields(icon, [("icon", data)]))) }
    return file.data(root: file.object(row: file.fields(array, [("NS.objects", file.row(.array(icons)))])))
  }

  private static func array(_ count: Int) -> Data {
    var file = ArchiveFile()
    let values = [true, false].map { file.reference(file.object(row: file.row(.boolean($0)))) }
    let list = file.row(.array((0..<count).map { values[$0 % 3 % 2] }))
    let array = file.classUID("NSArray", "NSObject")
    return file.data(root: file.object(row: file.fields(array, [("NS.objects", list)])))
  }

  private static func arrays(_ count: Int, of elementCount: Int) -> Data {
    var file = ArchiveFile()
    let values = [true, false].map { file.reference(file.object(row: file.row(.boolean($0)))) }
    let array = file.classUID("NSArray", "NSObject")
    let arrays = (0..<count).map { number in
      let list = file.row(.array((0..<elementCount).map { values[($0 + number) % 3 % 2] }))
      return file.reference(file.object(row: file.fields(array, [("NS.objects", list)])))
    }
    return file.data(root: file.object(row: file.fields(array, [("NS.objects", file.row(.array(arrays)))])))
  }

  /// The values of their keys are numbers that stand in the objects.
  private static func objects(_ count: Int, keyCount: Int, keyLength: Int) -> Data {
    var file = ArchiveFile()
    let (array, box) = (file.classUID("NSArray", "NSObject"), file.classUID("Box", "NSObject"))
    let values = [0, 1].map { file.row(.integer($0)) }
    let keys = (0..<keyCount).map { String(repeating: "k", count: keyLength - 3) + String(100 + $0) }
    let boxes = (0..<count).map { number in
      let fields = keys.enumerated().map { ($1, values[($0 + number) % 2]) }
      return file.reference(file.object(row: file.fields(box, fields)))
    }
    return file.data(root: file.object(row: file.fields(array, [("NS.objects", file.row(.array(boxes)))])))
  }
}

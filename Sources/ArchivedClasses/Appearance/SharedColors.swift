// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// The numbers of the color spaces and colors that an archiver writes once for all that are equal.
final class SharedColors {
  /// The parts of a color space. Objects with other values are shared only with themselves.
  private struct Space: Hashable {
    let id: Int?
    let spaceID: Int?
    let model: Int?
    let profileForm: ArchivedColorSpace.ProfileForm
    let profile: HashedBytes?
    let otherValues: ObjectIdentifier?
  }

  private var spaces: [Space: Int] = [:]
  private var colors: [BytewiseString: Int] = [:]
  private var boxes: [ObjectIdentifier: (box: ArchivedColor.Box, number: Int)] = [:]
  private var objects: [ObjectIdentifier: (values: OtherValues, number: Int)] = [:]

  static func of(_ coder: KeyedArchiver) -> SharedColors { coder.companions.object(SharedColors()) }

  func number(of space: ArchivedColorSpace) -> Int {
    _ = number(of: space.otherValues)
    let key = Space(
      id: space.id, spaceID: space.spaceID, model: space.model, profileForm: space.profileForm,
      profile: space.hashedProfile, otherValues: space.otherValues.identity)
    if let known = spaces[key] { return known }
    spaces[key] = spaces.count
    return spaces.count - 1
  }

  /// Returns a number for the object of other values; nil if a color has none.
  private func number(of values: OtherValues) -> Int? {
    guard let identity = values.identity else { return nil }
    if let known = objects[identity] { return known.number }
    // The values are kept, so that no others get this address.
    objects[identity] = (values, objects.count)
    return objects.count - 1
  }

  /// Returns the number of a color for systems without a catalog. Its own such color comes first, in a loop, because
  /// they can nest.
  func number(of box: ArchivedColor.Box) -> Int {
    var chain: [ArchivedColor.Box] = []
    var next: ArchivedColor.Box? = box
    while let box = next, boxes[ObjectIdentifier(box)] == nil {
      chain.append(box)
      next = box.color.fallbackBox
    }
    for box in chain.reversed() {
      let color = box.color
      let parts: [Int?] = [
        color.fallbackBox.flatMap { boxes[ObjectIdentifier($0)]?.number },
        color.customSpace.map { self.number(of: $0) }, self.number(of: color.otherValues),
      ]
      let numbers = parts.map { $0.map(String.init) ?? "-" }.joined(separator: " ")
      let name = BytewiseString("\(color.identityText) \(numbers)")
      let number = colors[name] ?? colors.count
      colors[name] = number
      boxes[ObjectIdentifier(box)] = (box, number)
    }
    return boxes[ObjectIdentifier(box)]?.number ?? 0
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving

/// What a decoder must make of an object, and of those in it.
indirect enum ModelAnswer: Equatable {
  case refused
  case made(String, ModelAnswer?)
  case array([ModelAnswer])
}

/// The rules of what may come out, as plainly as they can be written down: no order, no state, no caches.
struct AllowListModel {
  struct Kind: Hashable {
    var name: String
    var aliases: [String] = []
    var superclasses: [String] = []
    var declared: [String] = []
    var isClass = true
    /// Whether it requests the value of its key `k`.
    var requests = false
  }

  struct Object {
    var name: String
    var hints: [String] = []
    var elements: [Int]?
    var k: Int?
  }

  indirect enum Request {
    case type(String), array(of: String), untypedArray, list([Request])
  }

  var kinds: [String: Kind]
  var objects: [Object]
  var setClasses: [String: String] = [:]
  var delegateAnswer: String?
  var inner = Request.list([])
  /// The types whose initializers may have run.
  var mayRun: Set<String> = []

  private func isSubclass(_ name: String, of other: String) -> Bool {
    name == other || kinds[name]?.superclasses.contains(other) == true
  }

  /// The types that may be made where a type is on a list. A class declares subclasses only.
  private func members(of name: String) -> Set<String> {
    guard let kind = kinds[name] else { return [name] }
    let valid = kind.declared.filter { !kind.isClass || isSubclass($0, of: name) }
    return valid.filter { $0 != name }.reduce([name]) { $0.union(members(of: $1)) }
  }

  private func names(of name: String) -> [String] { [name] + (kinds[name]?.aliases ?? []) }

  /// The type that is made of an object where one type is requested.
  private func chosen(_ object: Object, for type: String) -> String? {
    if let set = setClasses[object.name] { return isSubclass(set, of: type) ? set : nil }
    let possible = kinds[type]?.isClass == true ? members(of: type) : [type]
    for name in [object.name] + object.hints {
      if names(of: type).contains(name) { return type }
      if let found = possible.first(where: { names(of: $0).contains(name) }) { return found }
    }
    return delegateAnswer.flatMap { isSubclass($0, of: type) ? $0 : nil }
  }

  mutating func answer(_ place: Int, _ request: Request) -> ModelAnswer {
    let object = objects[place]
    switch request {
    case .type(let type): return chosen(object, for: type).map { make($0, object) } ?? .refused
    case .array(let type): return array(object) { _ in .type(type) }
    case .untypedArray:
      // Alone it has no list, so nothing may come out in it.
      return object.name == "NSArray" && object.elements?.isEmpty == true ? .array([]) : .refused
    case .list(let list): return listed(object, place, list)
    }
  }

  private mutating func listed(_ object: Object, _ place: Int, _ list: [Request]) -> ModelAnswer {
    let types = list.compactMap { if case .type(let type) = $0 { type } else { nil } }
    let admitted = types.reduce(into: Set<String>()) { $0.formUnion(members(of: $1)) }
    func admits(_ name: String) -> Bool { admitted.contains(name) || types.contains { isSubclass(name, of: $0) } }
    if let set = setClasses[object.name], admits(set) { return answer(place, .type(set)) }
    for name in [object.name] + object.hints {
      for request in list {
        switch request {
        case .type(let type):
          let found = names(of: type).contains(name) ? type : members(of: type).first { names(of: $0).contains(name) }
          if let found { return answer(place, .type(found)) }
        case .array(let type) where name == "NSArray": return array(object) { _ in .type(type) }
        case .untypedArray where name == "NSArray": return array(object) { _ in .list(list) }
        default: continue
        }
      }
    }
    if let delegateAnswer, admits(delegateAnswer) { return answer(place, .type(delegateAnswer)) }
    return .refused
  }

  private mutating func array(_ object: Object, _ request: (Int) -> Request) -> ModelAnswer {
    guard let elements = object.elements else { return .refused }
    let answers = elements.map { answer($0, request($0)) }
    return answers.contains(.refused) ? .refused : .array(answers)
  }

  private mutating func make(_ name: String, _ object: Object) -> ModelAnswer {
    mayRun.insert(name)
    guard kinds[name]?.requests == true, let k = object.k else { return .made(name, nil) }
    let child = answer(k, inner)
    return child == .refused ? .refused : .made(name, child)
  }
}

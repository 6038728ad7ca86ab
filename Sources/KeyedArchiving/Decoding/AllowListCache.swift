// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Which objects may stand where which types are asked for, as far as it was found out.
struct AllowListCache {
  /// May an object with this class record stand where this type is asked for?
  struct Question: Hashable {
    var classUID: UInt32
    var request: ObjectIdentifier
  }

  /// Yes, and how. Who must say no throws.
  struct Verdict {
    /// No object's class record has the number 0, so this is the answer to nothing.
    var question = Question(classUID: 0, request: ObjectIdentifier(Never.self))
    /// The type to make, where it is not the one that was asked for, by its place among the substitutes; else -1.
    var substitute: Int32 = -1
    /// Whether the delegate or the type wants to see, and perhaps replace, what was decoded.
    var isWatched = false
  }

  private var verdicts = SmallDictionary<Question, Verdict>()
  private var substitutes: [any KeyedCoding.Type] = []
  /// Those asked for last, by some bits of the questions: objects of a few classes take turns.
  private var recent = InlineArray<8, Verdict>(repeating: Verdict())

  var isEmpty: Bool { verdicts.isEmpty }

  /// The answer to a question, if it was found before.
  @inline(__always)
  mutating func verdict(on question: Question) -> Verdict? {
    let place = Self.recentPlace(question)
    if recent[place].question == question { return recent[place] }
    return find(question)
  }

  @inline(__always)
  private static func recentPlace(_ question: Question) -> Int {
    (Int(question.classUID) ^ Int(bitPattern: question.request) >> 4) & 7
  }

  @inline(never)
  private mutating func find(_ question: Question) -> Verdict? {
    guard let verdict = verdicts[question] else { return nil }
    recent[Self.recentPlace(question)] = verdict
    return verdict
  }

  /// The type that an answer names, if it is not the one that was asked for.
  func substitute(_ verdict: Verdict) -> (any KeyedCoding.Type)? {
    verdict.substitute < 0 ? nil : substitutes[Int(verdict.substitute)]
  }

  func isSettled(_ question: Question) -> Bool { verdicts[question] != nil }

  /// Keeps the answer to a question: yes, as what was asked for or as another type.
  mutating func settle(_ question: Question, as substitute: (any KeyedCoding.Type)?, isWatched: Bool) {
    var verdict = Verdict(question: question, isWatched: isWatched)
    if let substitute {
      verdict.substitute = Int32(truncatingIfNeeded: substitutes.count)
      substitutes.append(substitute)
    }
    verdicts.add(verdict, for: question)
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// Everything there is to run, in one order: the cases, then what the rules make of their bases.
struct Jobs {
  /// One decode.
  struct Job {
    var name: String
    var subject: Manifest.Case
    var expect: Manifest.Expectation
    var mutant: (mutation: Mutation, number: Int)?
  }

  let folder: URL
  let manifest: Manifest
  private let mutations: [(rule: Manifest.Rule, subject: Manifest.Case, mutation: Mutation, start: Int)]
  /// The rules that this program does not know.
  let unknownRules: [String]
  let caseCount: Int
  let count: Int

  /// Reads a folder's manifest; `rules` says whether its rules are applied.
  init(in folder: URL, rules: Bool) throws {
    self.folder = folder
    manifest = try Manifest(in: folder)
    caseCount = manifest.cases.count
    var start = caseCount
    var mutations: [(rule: Manifest.Rule, subject: Manifest.Case, mutation: Mutation, start: Int)] = []
    var unknown: [String] = []
    for rule in rules ? manifest.rules ?? [] : [] {
      guard Mutation.names.contains(rule.mutate) else {
        unknown.append("rule '\(rule.id)': no mutation is called '\(rule.mutate)'")
        continue
      }
      guard let subject = manifest.cases.first(where: { $0.name == rule.base }) else {
        throw Breach("rule '\(rule.id)': there is no case '\(rule.base)'")
      }
      let mutation = try Mutation(rule, of: Data(contentsOf: folder.appending(path: subject.file)))
      mutations.append((rule, subject, mutation, start))
      start += mutation.count
    }
    self.mutations = mutations
    unknownRules = unknown
    count = start
  }

  subscript(number: Int) -> Job {
    guard number >= caseCount, let entry = mutations.last(where: { $0.start <= number }) else {
      let subject = manifest.cases[number]
      return Job(name: subject.name, subject: subject, expect: subject.expect)
    }
    let mutant = number - entry.start
    return Job(
      name: "\(entry.rule.id) #\(mutant)", subject: entry.subject, expect: entry.rule.expect,
      mutant: (entry.mutation, mutant))
  }

  func bytes(_ job: Job) throws -> Data {
    if let (mutation, number) = job.mutant { return mutation[number] }
    return try Data(contentsOf: folder.appending(path: job.subject.file))
  }
}

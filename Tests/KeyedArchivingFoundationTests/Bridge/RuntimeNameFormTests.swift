// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import Testing

// Subclasses of one class, with names of every form that Swift has.

class Form: NSObject, NSSecureCoding, FoundationCoding {
  class var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) {}
  required init?(coder: NSCoder) { super.init() }
}

final class PlainForm: Form {}
class OpenForm: Form {}
final class Form2: Form {}
final class F: Form {}
final class _Form: Form {}
final class __form_1__: Form {}
final class lowercase: Form {}
final class FormFormForm: Form {}
final class
  FormWithANameThatIsLongerThanTheOneHundredAndTwentySevenBytesOfWhichTheLengthFitsIntoASignedByteSoThatItsLengthHasThreeDigits:
    Form
{}
final class `class`: Form {}
final class Förm: Form {}
final class 形: Form {}
final class LongChain: OpenForm {}
class FormBox<Content>: Form {}
final class TextFormBox: FormBox<String> {}

class OuterForm: Form {
  class Inner: Form {
    final class Innermost: Form {}
  }
  final class Own: OuterForm {}
}

struct FormHolder {
  final class Held: Form {}
  struct Deep { enum Deeper { final class Deepest: Form {} } }
  fileprivate final class Hidden: Form {}
}

enum FormCase {
  case some
  final class Cased: Form {}
}

extension FormHolder { final class Added: Form {} }
extension OuterForm.Inner { final class Added: Form {} }

actor FormWorker { final class Tool: Form {} }

extension String { final class Suffix: Form {} }
extension Array { final class Slot: Form {} }
struct FormPair<A, B> { final class Half: Form {} }
private final class PrivateForm: Form {}
fileprivate final class FilePrivateForm: Form {}
private enum PrivateFormHolder { final class Held: Form {} }
// The superclass has no such member, so this one is not part of the conformance.
final class NamedForm: Form { static var archiveClassName: String { "Shape.NamedForm" } }
class RenamedForm: Form { class var archiveClassAliases: [String] { ["Old"] } }

private func local() -> Form {
  final class Local: Form {}
  return Local()
}

private func closure() -> Form {
  let make = {
    final class Closed: Form {}
    return Closed() as Form
  }
  return make()
}

@Suite("Forms of names in the runtime")
struct RuntimeNameFormTests {
  /// Why a subclass is not found by its name.
  enum Reason: String {
    /// The name in the file would select what to create in the process.
    case generic
    /// Swift's runtime on Linux knows no private or local type by name.
    case hidden
    /// The class is in an extension of another module's type.
    case unsupported
  }

  private static var found: [Form] {
    [
      PlainForm(), OpenForm(), Form2(), F(), _Form(), __form_1__(), lowercase(),
      FormFormForm(),
      FormWithANameThatIsLongerThanTheOneHundredAndTwentySevenBytesOfWhichTheLengthFitsIntoASignedByteSoThatItsLengthHasThreeDigits(),
      `class`(), Förm(), 形(), LongChain(), TextFormBox(), OuterForm(), OuterForm.Inner(), OuterForm.Inner.Innermost(),
      OuterForm.Own(),
      FormHolder.Held(), FormHolder.Deep.Deeper.Deepest(), FormCase.Cased(), FormHolder.Added(),
      OuterForm.Inner.Added(), FormWorker.Tool(),
      RenamedForm(), NamedForm(),
    ]
  }

  private static var notFound: [(Form, Reason)] {
    [
      (FormBox<Int>(), .generic), (FormBox<FormBox<Int>>(), .generic), (Array<Int>.Slot(), .generic),
      (FormPair<Int, Int>.Half(), .generic),
      (PrivateForm(), .hidden), (FilePrivateForm(), .hidden), (PrivateFormHolder.Held(), .hidden),
      (FormHolder.Hidden(), .hidden),
      (local(), .hidden), (closure(), .hidden), (String.Suffix(), .unsupported),
    ]
  }

  private func type(_ form: Form) -> String { String(reflecting: Swift.type(of: form)) }

  @Test("a subclass is found by its name where its superclass is requested", arguments: found.indices)
  func finds(_ index: Int) throws {
    let form = Self.found[index]
    let data = try KeyedArchiver.archivedData(withRootObject: form, requiringSecureCoding: true)
    let read = try KeyedUnarchiver.unarchivedObject(ofClass: Form.self, from: data)
    #expect(read.map { Swift.type(of: $0) == Swift.type(of: form) } == true, "\(type(form))")
    let listed = try KeyedUnarchiver.unarchivedObject(ofClasses: [Meal.self, Form.self], from: data)
    #expect(listed.map { Swift.type(of: $0) == Swift.type(of: form) } == true, "\(type(form))")
  }

  @Test("Foundation finds the same top-level classes", arguments: found.indices)
  func foundation(_ index: Int) throws {
    let form = Self.found[index]
    // Foundation on Linux ends the process at the name of a nested class, and at a generic superclass.
    guard type(form).utf8.count(where: { $0 == UInt8(ascii: ".") }) == 1, !(form is FormBox<String>) else { return }
    let theirs = try NSKeyedArchiver.archivedData(withRootObject: form, requiringSecureCoding: true)
    let read = try KeyedUnarchiver.unarchivedObject(ofClass: Form.self, from: theirs)
    #expect(read.map { Swift.type(of: $0) == Swift.type(of: form) } == true, "\(type(form))")
    let ours = try KeyedArchiver.archivedData(withRootObject: form, requiringSecureCoding: true)
    let foundation = try NSKeyedUnarchiver.unarchivedObject(ofClass: Form.self, from: ours)
    #expect(foundation.map { Swift.type(of: $0) == Swift.type(of: form) } == true, "\(type(form))")
  }

  @Test("another subclass is refused with a remedy, and decoded if it is requested itself", arguments: notFound.indices)
  func refuses(_ index: Int) throws {
    let (form, reason) = Self.notFound[index]
    let data = try KeyedArchiver.archivedData(withRootObject: form, requiringSecureCoding: true)
    let error = #expect(throws: KeyedArchiveError.self, "\(type(form)), \(reason)") {
      try KeyedUnarchiver.unarchivedObject(ofClass: Form.self, from: data)
    }
    #expect(error?.code == .classNotAllowed)
    #expect(error?.remedy?.contains("Form.archiveSubclasses") == true, "\(type(form))")
    func decode<Object: Form>(_ object: Object) throws -> Bool {
      try KeyedUnarchiver.unarchivedFoundationObject(ofClasses: [Swift.type(of: object)], from: data) is Form
    }
    #expect(try decode(form), "\(type(form))")
  }

  @Test("another subclass is decoded as its superclass is, if the name is mapped to it", arguments: notFound.indices)
  func mapped(_ index: Int) throws {
    let form = Self.notFound[index].0
    // A name as Apple's systems have it for a class in a function, which is not known on this one.
    let name = "_TtCF29KeyedArchivingFoundationTests5localFT_CS_4FormL_5Local"
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.setClassName(name, for: Swift.type(of: form))
    archiver.encode(form, forKey: KeyedArchiver.rootKey)
    let data = try archiver.encodedData
    #expect(try KeyedArchive(data).root.className == name)
    for isMapped in [false, true] {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      if isMapped { unarchiver.setClass(Swift.type(of: form), forClassName: name) }
      let read = try? unarchiver.decode(Form.self, forKey: KeyedArchiver.rootKey)
      #expect(read.map { Swift.type(of: $0) == Swift.type(of: form) } == (isMapped ? true : nil), "\(type(form))")
    }
  }

  @Test("the runtime itself does not find hidden classes", arguments: notFound.indices)
  func runtime(_ index: Int) {
    let (form, reason) = Self.notFound[index]
    let type = Swift.type(of: form)
    let found = _mangledTypeName(type).flatMap { _typeByName($0) }
    #expect((found == nil) == (reason == .hidden), "\(type)")
  }

  @Test("the tables have the forms")
  func count() { #expect(Self.found.count + Self.notFound.count >= 25) }
}

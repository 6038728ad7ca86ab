// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Written as in the article:
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import TypedDefaults

// example: camera
struct CameraConfig: DefaultConvertible {
  enum Size: Int {
    case Large, Medium, Small
  }

  var saveToCameraRoll: Bool = true
  var size: Size = .Medium

  static let key: String = "CameraConfig"

  init?(_ object: Any) {
    guard let dict = object as? [String: Any] else { return nil }
    self.saveToCameraRoll = dict["cameraRoll"] as? Bool ?? true
    if let rawSize = dict["size"] as? Int, let size = Size(rawValue: rawSize) {
      self.size = size
    }
  }

  func serialize() -> Any {
    return ["cameraRoll": saveToCameraRoll, "size": size.rawValue]
  }
}

final class CameraViewController {
  private let store: AnyStore<CameraConfig>
  private(set) lazy var config = store.get() ?? CameraConfig([:])!

  init(_ store: AnyStore<CameraConfig>) { self.store = store }

  func takeLargePictures() {
    config.size = .Large
    store.set(config)
  }
}
// end of example

func camera() {
  print(CameraConfig([:])!)
  print(CameraConfig("no dictionary") as Any)
  print(CameraConfig(["cameraRoll": false, "size": 9] as [String: Any])!)
  let persistent = PersistentStore<CameraConfig>()
  for store in [AnyStore(InMemoryStore<CameraConfig>()), AnyStore(persistent)] {
    store.remove()
    let controller = CameraViewController(store)
    controller.takeLargePictures()
    print(store.get()?.size as Any)
  }
  print(PersistentStore<CameraConfig>().get()?.size as Any)
  print(UserDefaults.standard.dictionary(forKey: "CameraConfig")?["size"] as? Int as Any)
}
